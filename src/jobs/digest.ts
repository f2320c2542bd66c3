import { sendDigests } from '../notifications/digest-store.ts'
import type { JobScope } from './scope.ts'

const PAGE = 200
const PAGES_MAX = 20

/** Sends the digests of last week from Monday on, to each operator once; a run that was missed is made up for. */
export async function sendWeeklyDigests({ db, now }: JobScope): Promise<{ sent: number }> {
  let sent = 0
  for (let page = 0; page < PAGES_MAX; page++) {
    const done = await sendDigests(db, now, PAGE)
    sent += done.sent
    if (done.marked === 0) break
  }
  return { sent }
}
