import { isHopeless } from '../db/errors.ts'
import { describeError, log } from '../lib/log.ts'
import { utcDay } from '../lib/time.ts'
import { findUnjudged, judgePlatform, leaveUnjudged } from '../platforms/establishment-store.ts'
import type { JobScope } from './scope.ts'

const JOB = 'platform_establishment'
const PAGE = 200
const RUN_MS = 20_000

/**
 * Judges once per UTC day whether each platform is established; what is left after 20 seconds waits for the next minute.
 *
 * @throws Error immediately if the database is unavailable or busy; after the last page if a platform could not be judged
 */
export async function establishPlatforms({ db, now }: JobScope): Promise<Record<string, number>> {
  const [until, today] = [Date.now() + RUN_MS, utcDay(now)]
  let [judged, established, failed] = [0, 0, 0]
  for (let page = await findUnjudged(db, today, PAGE); page.length > 0; ) {
    for (const id of page) {
      if (Date.now() > until) break
      judged += 1
      try {
        if (await judgePlatform(db, id, today, now)) established += 1
      } catch (error) {
        if (!isHopeless(error)) throw error
        failed += 1
        log('error', 'page_failed', { job: JOB, from: id, ...describeError(error) })
        await leaveUnjudged(db, id, today)
      }
    }
    page = page.length < PAGE || Date.now() > until ? [] : await findUnjudged(db, today, PAGE)
  }
  if (failed > 0) throw new Error(`${failed} platforms could not be judged, ${judged - failed} were`)
  return { judged, established }
}
