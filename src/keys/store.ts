import { and, eq, gt, isNull, or } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { api_keys, operators } from '../db/schema.ts'

/** The live key with this prefix and what must be known of its operator; null when revoked, expired or unknown. */
export async function findKey(db: Db, keyPrefix: string, now: Date) {
  const rows = await db
    .select({
      key_id: api_keys.id,
      operator_id: api_keys.operator_id,
      operator_status: operators.status,
      salt: api_keys.salt,
      secret_hash: api_keys.secret_hash,
      permissions: api_keys.permissions,
      rate_limit_per_minute: api_keys.rate_limit_per_minute,
    })
    .from(api_keys)
    .innerJoin(operators, eq(operators.id, api_keys.operator_id))
    .where(
      and(
        eq(api_keys.key_prefix, keyPrefix),
        isNull(api_keys.revoked_at),
        or(isNull(api_keys.expires_at), gt(api_keys.expires_at, now.toISOString())),
      ),
    )
  return rows[0] ?? null
}

/** Stores a new key; only its salted hash is kept. */
export async function insertKey(db: Db, key: typeof api_keys.$inferInsert): Promise<void> {
  await db.insert(api_keys).values(key)
}
