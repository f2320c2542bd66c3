import { utcDay } from '../lib/wire.ts'
import { takeSnapshot } from '../trust/snapshot.ts'
import { findUnscored, writeSnapshots } from '../trust/snapshot-store.ts'
import { publishOrLeave } from '../webhooks/publish.ts'
import type { JobScope } from './scope.ts'

const PAGE = 500
const PAGES_MAX = 20

/** Scores the agents that have reported since their last snapshot; what does not fit waits for the next minute. */
export async function snapshotScores({ env, db, now }: JobScope): Promise<{ agents: number }> {
  let agents = 0
  for (let page = 0; page < PAGES_MAX; page++) {
    const unscored = await findUnscored(db, utcDay(now), PAGE)
    if (unscored.length === 0) break
    const snapshots = await Promise.all(unscored.map((agent) => takeSnapshot(agent, now)))
    const { written, deliveries } = await writeSnapshots(db, snapshots, now)
    agents += written
    if (deliveries) await publishOrLeave(env, deliveries, now, { job: 'trust_snapshots' })
    if (unscored.length < PAGE) break
  }
  return { agents }
}
