import { requireCaller } from '../credentials/authorize.ts'
import { rejectedWith } from '../db/errors.ts'
import { untilFresh } from '../db/transaction.ts'
import { ApiError } from '../errors.ts'
import type { Ctx } from '../http/context.ts'
import { findPrior, type Prior, type Repeatable, requirePrior } from '../idempotency/store.ts'
import { NUMBER_SLOTS } from '../lib/agent-number.ts'
import { uuidv7 } from '../lib/ids.ts'
import { join, whyClosed } from '../members/membership.ts'
import { findTarget } from '../members/membership-store.ts'
import { platformRejection } from '../members/rejection.ts'
import { publishAfterResponse } from '../webhooks/outbox/publish.ts'
import { toRegistered } from './profile.ts'
import { insertAgent } from './register-store.ts'
import type { AgentCreated } from './responses.ts'
import type { AgentInput } from './schema.ts'

const NUMBERS_USED_UP = '54000' // program_limit_exceeded, raised by agent_number

/** The agent; or the stored response if the request is repeated, and then nothing is registered. */
type Registered = { agent: AgentCreated; prior?: never } | { prior: Prior; agent?: never }

/**
 * Registers an agent of the caller and notifies its platform.
 *
 * @param repeatable null if the request has no Idempotency-Key
 * @throws ApiError AGENT_LIMIT_REACHED or RATE_LIMITED at a quota, CONFLICT if no number is left, or the reason why the
 * platform rejects the agent
 */
export function registerAgent(c: Ctx, input: AgentInput, repeatable: Repeatable | null): Promise<Registered> {
  const db = c.get('db')
  const now = c.get('now')()
  const caller = requireCaller(c)
  const agent = { ...input, id: uuidv7(now) }
  const slug = input.platform_slug ?? null

  return untilFresh<Registered>(async () => {
    const target = slug === null ? null : await findTarget(db, slug, agent.id, now)
    const rejection = target ? whyClosed(target) : 'unknown_platform'
    if (slug !== null && rejection) {
      const prior = await findPrior(db, repeatable) // from when the platform was open
      if (prior) return { prior }
      throw platformRejection(slug, rejection)
    }
    const placement = join(caller.operator_id, target, now)
    const stored = await inAnySlot(now, (slot) =>
      insertAgent(db, caller, { agent, placement, slot, repeatable }, now),
    )
    if (stored.refusal) return { prior: await requirePrior(db, repeatable) }
    publishAfterResponse(c, stored.deliveries)
    return { agent: toRegistered(agent, { reg: stored.reg, placement }, now) }
  })
}

/** Registers in a random slot of the year, so that concurrent requests do not wait for each other, or in another one. */
async function inAnySlot<T>(now: Date, register: (slot: number) => Promise<T>): Promise<T> {
  const [random = 0] = crypto.getRandomValues(new Uint8Array(1))
  for (let n = 0; n < NUMBER_SLOTS; n++) {
    try {
      return await register((random + n) % NUMBER_SLOTS)
    } catch (error) {
      if (!rejectedWith(NUMBERS_USED_UP, error)) throw error
    }
  }
  const year = now.getUTCFullYear()
  throw new ApiError(
    'CONFLICT',
    `all agent numbers of ${year} are allocated; contact the administrator of this registry`,
  )
}
