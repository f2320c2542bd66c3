import { isHopeless } from '../db/errors.ts'
import { untilFresh } from '../db/transaction.ts'
import { describeError, log } from '../lib/log.ts'
import { findLeaving, writeMove } from '../members/departure-store.ts'
import type { FoundChangeable } from '../members/found-store.ts'
import { depart } from '../members/membership.ts'
import { publishOrLeave } from '../webhooks/outbox/publish.ts'
import type { JobScope } from './scope.ts'

const JOB = 'platform_moves'
const PER_RUN = 200 // a step each: within the subrequest limit of an invocation
const PARALLEL = 6 // a Worker may have six connections open

/**
 * Moves the agents whose notice is over from their platforms to their next ones, with the webhook events. If the next
 * platform no longer accepts an agent, its operator is notified. What does not fit into a run waits for the next.
 *
 * @throws Error immediately if the database is unavailable or busy; after the last agent if one could not be moved
 */
export async function carryOutMoves({ env, db, now }: JobScope): Promise<{ moved: number }> {
  const leaving = await findLeaving(db, now, PER_RUN)
  let [moved, failed] = [0, 0]
  const moveOn = async (agent: FoundChangeable) => {
    try {
      const written = await move({ db, now }, agent)
      if (!written) return []
      moved += 1
      return written.deliveries ?? []
    } catch (error) {
      if (!isHopeless(error)) throw error
      failed += 1
      log('error', 'page_failed', { job: JOB, from: agent.id, ...describeError(error) })
      return []
    }
  }
  for (let from = 0; from < leaving.length; from += PARALLEL) {
    const done = await Promise.all(leaving.slice(from, from + PARALLEL).map(moveOn))
    await publishOrLeave(env, done.flat(), now, { job: JOB })
  }
  if (failed > 0) throw new Error(`${failed} agents could not be moved, ${moved} were`)
  return { moved }
}

/** Moves an agent; null if another run has moved it, or its operator has canceled the move. */
function move({ db, now }: Pick<JobScope, 'db' | 'now'>, agent: FoundChangeable) {
  return untilFresh(async (isFirst) => {
    const found = isFirst ? agent : (await findLeaving(db, now, 1, agent.id))[0]
    if (!found) return null
    const departure = depart({ ...found, status: found.agent.status, next: found.placement.next }, now)
    return { deliveries: await writeMove(db, found, departure, now) }
  })
}
