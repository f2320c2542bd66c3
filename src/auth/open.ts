import { makeToken } from '../credentials/token.ts'
import type { Db } from '../db/client.ts'
import type { Tier } from '../db/enums.ts'
import type { Env } from '../env.ts'
import { clientIp } from '../http/address.ts'
import type { Ctx } from '../http/context.ts'
import type { Repeatable } from '../idempotency/store.ts'
import { hashSecret } from '../lib/crypto.ts'
import { DAY_MS } from '../lib/time.ts'
import { insertSession } from './store.ts'

/** How long a session token is valid. */
export const SESSION_LIFE_MS = 30 * DAY_MS
const USER_AGENT_MAX = 500

/** The IP address and user agent that open a session: stored for investigations. */
export function openedFrom(c: Ctx) {
  const user_agent = (c.req.header('user-agent') ?? '').slice(0, USER_AGENT_MAX).toWellFormed()
  return { ip: clientIp(c), user_agent }
}

interface NewToken {
  operator_id: string
  /** The tier of the operator, whose quotas apply. */
  tier: Tier
  name: string
  ip: string
  user_agent: string
}

/**
 * Opens a session for a program, valid for 30 days; unlike a sign-in, it never revokes another session.
 *
 * @param repeatable makes the call idempotent: repeated calls open one session
 * @returns the token, which is not stored anywhere; null when the session was opened by an earlier call
 * @throws ApiError CONFLICT if the tier allows no more active sessions
 */
export async function createToken(
  { db, env }: { db: Db; env: Pick<Env, 'CREDENTIALS_KEY'> },
  { tier, ...session }: NewToken,
  repeatable: Repeatable,
): Promise<{ session_token: string; expires_at: string } | null> {
  const { now } = repeatable
  const token = await makeToken('session', env.CREDENTIALS_KEY)
  const expires_at = new Date(now.getTime() + SESSION_LIFE_MS).toISOString()
  const opened = { ...session, id: token.id, ...(await hashSecret(token.secret)), expires_at }
  const isRepeated = await insertSession(db, tier, opened, repeatable)
  return isRepeated ? null : { session_token: token.text, expires_at }
}
