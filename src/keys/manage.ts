import type * as z from 'zod'
import { makeToken } from '../credentials/token.ts'
import type { Db } from '../db/client.ts'
import { QUOTAS } from '../db/tiers.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../errors.ts'
import type { Repeatable } from '../idempotency/store.ts'
import { hashSecret } from '../lib/crypto.ts'
import { uuidv7 } from '../lib/ids.ts'
import { toIso } from '../lib/time.ts'
import type { keyCreated, keyRevoked } from './responses.ts'
import type { KeyChanges, KeyInput } from './schema.ts'
import { findOwnKey, insertKey, type KeyOwner, keyNotFound, revokeKey, updateKey } from './store.ts'

/** A key of an owner; throws 404 if there is none. */
export async function requireKey(db: Db, owner: KeyOwner, keyId: string) {
  const key = await findOwnKey(db, owner, keyId)
  if (!key) throw keyNotFound(owner, keyId)
  return key
}

/**
 * Creates a key and stores only its hash; the key itself is in the response only.
 *
 * @param repeatable makes the call idempotent: the result is null if an earlier call created the key
 */
export async function createKey(
  { db, env }: { db: Db; env: Pick<Env, 'CREDENTIALS_KEY'> },
  owner: KeyOwner,
  { name, permissions, rate_limit_per_minute, expires_at }: KeyInput,
  now: Date,
  repeatable: Repeatable | null = null,
): Promise<z.infer<typeof keyCreated> | null> {
  if (expires_at && new Date(expires_at) <= now) {
    throw new ApiError('VALIDATION_ERROR', [['expires_at', 'must be in the future']])
  }
  requireWithinTier(owner, rate_limit_per_minute)
  const token = await makeToken('key', env.CREDENTIALS_KEY)
  const shown = {
    id: uuidv7(now),
    name,
    key_prefix: token.id,
    permissions,
    rate_limit_per_minute,
    expires_at: expires_at ? toIso(expires_at) : null,
  }
  const key = { ...shown, ...(await hashSecret(token.secret)) }
  const isRepeated = await insertKey(db, owner, key, now, repeatable)
  return isRepeated ? null : { ...shown, key: token.text, created_at: now.toISOString() }
}

/** Changes a key's name or rate limit; the tier of the operator determines the maximum. */
export async function changeKey(db: Db, owner: KeyOwner, keyId: string, changes: KeyChanges, now: Date) {
  requireWithinTier(owner, changes.rate_limit_per_minute)
  return updateKey(db, owner, keyId, changes, now)
}

function requireWithinTier({ tier }: KeyOwner, rateLimit = 0): void {
  const most = QUOTAS[tier].key_requests_per_minute
  if (rateLimit > most) {
    throw new ApiError('VALIDATION_ERROR', [['rate_limit_per_minute', `at most ${most} in your tier`]])
  }
}

/** Revokes a key permanently; repeated calls return the same result. */
export async function revokeApiKey(
  db: Db,
  owner: KeyOwner,
  id: string,
  now: Date,
): Promise<z.infer<typeof keyRevoked>> {
  const revoked_at = await revokeKey(db, owner, id, now)
  if (!revoked_at) throw keyNotFound(owner, id)
  return { id, status: 'revoked', revoked_at }
}
