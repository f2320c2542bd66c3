import { requireCaller } from '../credentials/authorize.ts'
import { untilFresh } from '../db/transaction.ts'
import type { Ctx } from '../http/context.ts'
import { type FoundChangeable, findChangeable } from '../members/found-store.ts'
import { toMembership } from '../members/membership.ts'
import { findTarget } from '../members/membership-store.ts'
import { platformRejection } from '../members/rejection.ts'
import { publishAfterResponse } from '../webhooks/outbox/publish.ts'
import { agentNotFound, foreignAgent, requireValidNumber } from '../wire/agent-number.ts'
import { planChange } from './change-plan.ts'
import { writeChange } from './change-store.ts'
import { toCreated } from './profile.ts'
import type { AgentCreated } from './responses.ts'
import type { AgentChanges } from './schema.ts'

/**
 * Changes an agent of the caller, moves it to another platform, or deactivates it, and notifies its platforms.
 *
 * @param prefetched the agent as `readChangeable` found it
 * @returns the changed agent
 * @throws ApiError NOT_FOUND, FORBIDDEN if it belongs to another operator, RATE_LIMITED at the daily quota, or the
 * reason why the platform rejects it
 */
export function changeAgent(
  c: Ctx,
  reg: string,
  changes: AgentChanges,
  prefetched: FoundChangeable | null,
): Promise<AgentCreated> {
  requireValidNumber(reg)
  const db = c.get('db')
  const now = c.get('now')()
  const caller = requireCaller(c)

  return untilFresh(async (isFirst) => {
    const found = (isFirst && prefetched) || (await findChangeable(db, reg, now))
    if (!found) throw agentNotFound(reg)
    if (found.operator_id !== caller.operator_id) throw foreignAgent(reg)
    const slug = changes.platform_slug ?? null
    const target = slug === null ? null : await findTarget(db, slug, found.id, now)

    const plan = planChange(found, changes, target, now)
    if ('rejection' in plan) throw platformRejection(slug ?? '', plan.rejection, plan.removed_at)

    const { basis, stats } = found
    const shown = { membership: toMembership(plan.placement), stats, basis }
    if (!plan.set) return toCreated({ agent: found.agent, ...shown })
    const { agent, deliveries } = await writeChange(db, caller, found, plan, now)
    publishAfterResponse(c, deliveries)
    return toCreated({ agent, ...shown })
  })
}
