import type { FoundChangeable } from '../agents/change-store.ts'
import { type Departure, depart } from '../agents/membership.ts'
import { untilFresh } from '../db/transaction.ts'
import { findLeaving, writeDeparture } from '../members/departure-store.ts'
import { notify } from '../notifications/store.ts'
import { publishOrLeave } from '../webhooks/outbox/publish.ts'
import type { JobScope } from './scope.ts'

const JOB = 'platform_moves'
const PER_RUN = 200 // a step each: within the subrequest limit of an invocation
const PARALLEL = 6 // a Worker may have six connections open

/**
 * Moves the agents whose notice is over from their platforms to their next ones, with the webhook events. If the next
 * platform no longer accepts an agent, its operator is notified. What does not fit into a run waits for the next.
 */
export async function carryOut({ env, db, now }: JobScope): Promise<{ left: number }> {
  const leaving = await findLeaving(db, now, PER_RUN)
  let left = 0
  const moveOn = (agent: FoundChangeable) => {
    let first: FoundChangeable | null = agent
    return untilFresh(async () => {
      const found = first ?? (await findLeaving(db, now, 1, agent.id))[0]
      first = null // the next try reads again
      if (!found) return null // moved by another run, or canceled
      const departure = depart({ ...found, status: found.agent.status, next: found.placement.next }, now)
      const notice = rejectedMove(found, departure)
      const deliveries = await writeDeparture(
        db,
        found,
        departure,
        (write) => write.add(notify(db, notice, now)),
        now,
      )
      left += 1
      return deliveries
    })
  }
  for (let from = 0; from < leaving.length; from += PARALLEL) {
    const done = await Promise.all(leaving.slice(from, from + PARALLEL).map(moveOn))
    const deliveries = done.flatMap((some) => some ?? [])
    if (deliveries.length > 0) await publishOrLeave(env, deliveries, now, { job: JOB })
  }
  return { left }
}

/** The notification of a move that the next platform has rejected; null for an agent that was deactivated meanwhile. */
function rejectedMove({ operator_id, agent, placement }: FoundChangeable, { rejection }: Departure) {
  if (!rejection || rejection === 'deactivated' || !placement.next) return null
  const { slug } = placement.next
  const why = {
    retired: `${slug} is retired.`,
    removed: `${slug} removed it within the last 30 days.`,
    suspended: `${slug} does not accept agents at the moment.`,
    unknown_platform: `${slug} no longer exists.`,
  }[rejection]
  return {
    operator_id,
    type: 'platform_membership' as const,
    reg: agent.reg,
    title: `${agent.name} could not join ${slug}`,
    body: `It left its platform, as you requested, and is now on none: ${why}`,
  }
}
