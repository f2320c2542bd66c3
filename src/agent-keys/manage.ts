import { prefetched, requireCaller } from '../credentials/authorize.ts'
import type { KeyReason } from '../db/enums.ts'
import { ApiError } from '../errors.ts'
import type { Ctx } from '../http/context.ts'
import { DAY_MS, toIso } from '../lib/time.ts'
import type { FoundChangeable } from '../members/found-store.ts'
import { readChangeable } from '../members/prefetch.ts'
import { publishAfterResponse } from '../webhooks/outbox/publish.ts'
import { agentNotFound, foreignAgent, requireValidNumber } from '../wire/agent-number.ts'
import { checkProof } from './proof.ts'
import type { AgentKeyInput } from './schema.ts'
import { findAgentKey, insertAgentKey, KEYS_MAX, type ShownKey, writeRevocation } from './store.ts'

const LIFE_MAX_MS = 2 * 365 * DAY_MS

/**
 * Registers a key of an agent of the caller.
 *
 * @returns the key, and whether it is new; a valid key of the agent changes nothing
 * @throws ApiError that names the part of the proof that is wrong, or the reason why the key is not accepted
 */
export async function addKey(c: Ctx, ofReg: string, input: AgentKeyInput) {
  const agent = requireOwn(c, ofReg)
  const now = c.get('now')()
  const expires_at = expiryOf(input.expires_at, now)
  const proved = await checkProof(input.proof, { audience: c.get('env').BASE_URL, reg: ofReg, now })
  if (proved.problem !== null) throw new ApiError('VALIDATION_ERROR', [['proof', proved.problem]])

  const { x, kid } = proved
  const done = await insertAgentKey(c.get('db'), requireCaller(c), agent, { kid, x, expires_at }, now)
  switch (done.refusal) {
    case 'DEACTIVATED':
      throw new ApiError('AGENT_DEACTIVATED', `agent ${ofReg} is deactivated and gets no new keys`)
    case 'TOO_MANY_KEYS':
      throw new ApiError('CONFLICT', `an agent has at most ${KEYS_MAX} valid keys; revoke one first`)
    case 'KNOWN':
      return { key: requireSame(await findAgentKey(c.get('db'), kid, now), ofReg), isNew: false }
    default:
      publishAfterResponse(c, done.deliveries)
      return { key: done.key, isNew: true }
  }
}

/** Revokes a key of an agent of the caller permanently; repeated calls return the same key. */
export async function revokeAgentKey(c: Ctx, { reg, kid }: { reg: string; kid: string }, reason: KeyReason) {
  const agent = requireOwn(c, reg)
  const now = c.get('now')()
  const done = await writeRevocation(c.get('db'), agent, kid, reason, now)
  if (done.refusal) {
    const key = await findAgentKey(c.get('db'), kid, now)
    if (key?.reg !== reg) throw new ApiError('NOT_FOUND', `agent ${reg} has no key ${kid}`)
    return key
  }
  publishAfterResponse(c, done.deliveries)
  return done.key
}

/** The agent that the route has prefetched. */
function requireOwn(c: Ctx, reg: string): FoundChangeable {
  requireValidNumber(reg)
  const found = prefetched(c, readChangeable)
  if (!found) throw agentNotFound(reg)
  if (found.operator_id !== requireCaller(c).operator_id) throw foreignAgent(reg)
  return found
}

function expiryOf(given: string | null | undefined, now: Date): string | null {
  if (!given) return null
  const life = new Date(given).getTime() - now.getTime()
  if (life <= 0) throw new ApiError('VALIDATION_ERROR', [['expires_at', 'must be in the future']])
  if (life > LIFE_MAX_MS) throw new ApiError('VALIDATION_ERROR', [['expires_at', 'at most two years ahead']])
  return toIso(given)
}

/** The key, if it is a valid one of the agent; otherwise nobody can register it again. */
function requireSame(key: ShownKey | null, reg: string): ShownKey {
  if (key?.reg === reg && key.status === 'active') return key
  const why = key?.reg === reg ? `is ${key.status}` : 'belongs to another agent'
  throw new ApiError('CONFLICT', `this key ${why}, and no key can be registered twice; make a new one`)
}
