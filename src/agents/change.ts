import { requireCaller } from '../credentials/authorize.ts'
import type { Ctx } from '../http/context.ts'
import { newEvent } from '../webhooks/outbox/events.ts'
import { publishFirst } from '../webhooks/outbox/publish.ts'
import { agentNotFound, foreignAgent, requireValidNumber } from '../wire/agent-number.ts'
import { overDailyQuota, rejectedToday } from '../wire/quota.ts'
import { notPublic } from './links.ts'
import { platformRejection } from './rejection.ts'
import type { AgentChanges } from './schema.ts'
import { updateAgent } from './update-store.ts'

/**
 * Changes an agent of the caller, moves it to another platform, or deactivates it, and notifies its platforms.
 *
 * @param trust_score_overall the current score, which the webhook events contain
 * @returns the changed agent
 * @throws ApiError NOT_FOUND, FORBIDDEN if it belongs to another operator, RATE_LIMITED at the daily quota, or the
 * reason why the platform rejects it
 */
export async function changeAgent(
  c: Ctx,
  reg: string,
  changes: AgentChanges,
  trust_score_overall: string | null,
) {
  requireValidNumber(reg)
  const now = c.get('now')()
  const result = await updateAgent(c.get('db'), {
    reg,
    operator_id: requireCaller(c).operator_id,
    changes,
    trust_score_overall,
    registered: newEvent('agent.registered', now),
    updated: newEvent('agent.updated', now),
    deactivated: newEvent('agent.deactivated', now),
    now,
  })
  switch (result.outcome) {
    case 'unknown':
      throw agentNotFound(reg)
    case 'foreign':
      throw foreignAgent(reg)
    case 'rejected':
      throw platformRejection(changes.platform_slug ?? '', result.rejection, result.removed_at)
    case 'too_many':
      throw rejectedToday(overDailyQuota('changes_per_day', result.quota, 'changes to an agent'), now)
    case 'updated':
      publishFirst(c, result.deliveries)
      return { ...result.agent, not_public: notPublic(result.agent), trust_score_overall }
  }
}
