import { carryOutMoves, findLeaving } from '../members/moves-store.ts'
import { publishOrLeave } from '../webhooks/outbox/publish.ts'
import type { JobScope } from './scope.ts'

const JOB = 'platform_moves'
const PAGE = 200
const PAGES_MAX = 50

/** Moves the agents whose notice is over, page by page; what does not fit waits for the next minute. */
export async function carryOut({ env, db, now }: JobScope): Promise<{ left: number }> {
  let left = 0
  for (let page = 0; page < PAGES_MAX; page++) {
    const leaving = await findLeaving(db, now, PAGE)
    if (leaving.length === 0) break
    const done = await carryOutMoves(db, leaving, now)
    left += done.left
    if (done.deliveries) await publishOrLeave(env, done.deliveries, now, { job: JOB })
    if (leaving.length < PAGE) break
  }
  return { left }
}
