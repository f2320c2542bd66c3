import { requireCaller } from '../credentials/authorize.ts'
import { ApiError } from '../errors.ts'
import type { Ctx } from '../http/context.ts'
import type { Prior, Repeatable } from '../idempotency/store.ts'
import { uuidv7 } from '../lib/ids.ts'
import { newEvent } from '../webhooks/outbox/events.ts'
import { publishFirst } from '../webhooks/outbox/publish.ts'
import { overDailyQuota, overQuota, rejectedToday } from '../wire/quota.ts'
import { platformRejection } from './rejection.ts'
import type { AgentCreated } from './responses.ts'
import type { AgentInput } from './schema.ts'
import { registerAgent, registeredResponse } from './store.ts'

/**
 * Registers an agent of the caller and notifies its platform.
 *
 * @param repeatable null if the request has no Idempotency-Key
 * @returns the agent; or the first response if the request is repeated, and then nothing is registered
 * @throws ApiError AGENT_LIMIT_REACHED or RATE_LIMITED at a quota, CONFLICT if no number is left, or the reason why the
 * platform rejects the agent
 */
export async function addAgent(
  c: Ctx,
  input: AgentInput,
  repeatable: Repeatable | null,
): Promise<{ agent: AgentCreated; prior?: never } | { prior: Prior; agent?: never }> {
  const now = c.get('now')()
  const { operator_id } = requireCaller(c)
  const event = newEvent('agent.registered', now)
  const agent = { ...input, id: uuidv7(now), operator_id, event, now, repeatable }
  const stored = await registerAgent(c.get('db'), agent)
  if (!stored)
    throw new ApiError(
      'CONFLICT',
      `all agent numbers of ${now.getUTCFullYear()} are allocated; contact the administrator of this registry`,
    )
  if (stored.prior) return { prior: stored.prior }
  if (stored.rejection) throw platformRejection(input.platform_slug ?? '', stored.rejection, null)
  if (stored.agent === null) {
    if (stored.has_room)
      throw rejectedToday(overDailyQuota('registrations_per_day', stored.quota, 'registrations'), now)
    throw new ApiError(
      'AGENT_LIMIT_REACHED',
      overQuota('active_agents', stored.agent_limit, 'active agents', 'deactivate one'),
    )
  }
  publishFirst(c, stored.deliveries)
  return { agent: registeredResponse(agent, stored.agent) }
}
