import { and, desc, eq, isNull, not, type SQL, sql } from 'drizzle-orm'
import { takeAllowance } from '../allowances/store.ts'
import { audit, auditEach } from '../audit/store.ts'
import type { Fold } from '../credentials/usage.ts'
import type { Db } from '../db/client.ts'
import { api_keys, platforms } from '../db/schema.ts'
import { jsonb, timestamptz } from '../db/sql.ts'
import { QUOTAS, quotaOf } from '../db/tiers.ts'
import { anyDiffers, isFound, only, transaction } from '../db/transaction.ts'
import { ApiError } from '../errors.ts'
import { isFirst, keepAnswer, type Repeatable } from '../idempotency/store.ts'
import { type OwnPlatform, ownPlatformNotFound } from '../wire/own-platform.ts'
import { isOwn, requireOwnActive } from '../wire/own-platform-store.ts'
import { offsetOf, type Page } from '../wire/page.ts'
import { overQuota } from '../wire/quota.ts'
import type { KeyChanges } from './schema.ts'

const { id, operator_id, platform_id, revoked_at } = api_keys

const LIVE_KEYS = 'active API keys, including those of your platforms'

const limitOf = quotaOf(sql`o.tier`, 'key_requests_per_minute')

const SHOWN = {
  id,
  name: api_keys.name,
  key_prefix: api_keys.key_prefix,
  permissions: api_keys.permissions,
  rate_limit_per_minute: sql<number>`least(${api_keys.rate_limit_per_minute}, (select ${limitOf} from operators o where o.id = ${operator_id}))::integer`,
  status: sql<'active' | 'revoked'>`case when ${revoked_at} is null then 'active' else 'revoked' end`,
  last_used_at: api_keys.last_used_at,
  requests_count: api_keys.requests_count,
  created_at: api_keys.created_at,
  expires_at: api_keys.expires_at,
  revoked_at,
}

export type ShownKey = Awaited<ReturnType<typeof selectKeys>>[number]

const selectKeys = (db: Db, condition: SQL | undefined) => db.select(SHOWN).from(api_keys).where(condition)

/** The owner of keys: a platform that the operator has registered; with the slug null, the operator itself. */
export type KeyOwner = Omit<OwnPlatform, 'slug'> & { slug: string | null }

/** The condition for the keys of an owner; matches none if the platform is not one of the operator's. */
function ownKeys(db: Db, owner: KeyOwner): SQL | undefined {
  const own = platformOf(owner)
  const scope = own ? eq(platform_id, ownPlatformId(db, own)) : isNull(platform_id)
  return and(eq(operator_id, owner.operator_id), scope)
}

function platformOf({ slug, ...owner }: KeyOwner): OwnPlatform | null {
  return slug === null ? null : { slug, ...owner }
}

function ownPlatformId(db: Db, own: OwnPlatform): SQL {
  return sql`(${db.select({ id: platforms.id }).from(platforms).where(isOwn(own))})`
}

/**
 * A page of the keys of an operator or platform, including revoked ones, newest first, and their total number.
 *
 * @throws ApiError NOT_FOUND if the operator has no such platform
 */
export async function requireKeys(db: Db, owner: KeyOwner, page: Page) {
  const mine = ownKeys(db, owner)
  const own = platformOf(owner)
  const [known, data, counted] = await db.batch([
    db
      .select({ id: platforms.id })
      .from(platforms)
      .where(own ? isOwn(own) : sql`false`),
    selectKeys(db, mine)
      .orderBy(desc(api_keys.created_at), desc(id))
      .limit(page.per_page)
      .offset(offsetOf(page)),
    db.select({ total: sql<number>`count(*)::integer` }).from(api_keys).where(mine),
  ])
  if (own && known.length === 0) throw ownPlatformNotFound(own.slug)
  return { data, total: only(counted).total }
}

/** The error for a key that its owner does not have. */
export function keyNotFound({ slug }: KeyOwner, id: string): ApiError {
  return new ApiError(
    'NOT_FOUND',
    slug ? `platform '${slug}' has no API key ${id}` : `you have no API key ${id}`,
  )
}

/** A key of an owner, or null. */
export async function findOwnKey(db: Db, owner: KeyOwner, keyId: string): Promise<ShownKey | null> {
  return (await selectKeys(db, and(eq(id, keyId), ownKeys(db, owner))))[0] ?? null
}

type ApiKey = typeof api_keys.$inferSelect

export type NewKey = Pick<
  ApiKey,
  | 'id'
  | 'name'
  | 'key_prefix'
  | 'salt'
  | 'secret_hash'
  | 'permissions'
  | 'rate_limit_per_minute'
  | 'expires_at'
>

/**
 * Stores the salted hash of a new key.
 *
 * @param repeatable makes the call idempotent: repeated calls store one key
 * @returns whether it is a repeated call
 * @throws ApiError NOT_FOUND or CONFLICT if it is for no active platform; CONFLICT at the quota
 */
export async function insertKey(
  db: Db,
  owner: KeyOwner,
  key: NewKey,
  now: Date,
  repeatable: Repeatable | null,
) {
  const write = transaction<'REPEATED'>(db)
  const own = platformOf(owner)
  const quota = QUOTAS[owner.tier].live_keys
  const isLive = sql`${revoked_at} is null and coalesce(${api_keys.expires_at}, 'infinity') > ${timestamptz(now)}`
  const live = db.$count(api_keys, and(eq(operator_id, owner.operator_id), isLive))

  write.require(isFirst(db, repeatable), 'REPEATED')
  if (own) {
    write.lock(platforms, isOwn(own), 'share')
    requireOwnActive(db, write, own)
  }
  const tooMany = new ApiError('CONFLICT', overQuota('live_keys', quota, LIVE_KEYS, 'revoke one'))
  write.require(sql`${live} < ${quota}::integer`, tooMany)
  takeAllowance(write, owner, 'changes', now)
  takeAllowance(write, owner, 'new_keys', now)
  write.add(
    db.insert(api_keys).values({
      ...key,
      operator_id: owner.operator_id,
      platform_id: own && ownPlatformId(db, own),
      created_at: now.toISOString(),
    }),
  )
  write.add(audit(db, [{ operator_id: owner.operator_id, action: 'api_key.created', target: key.id }], now))
  write.add(keepAnswer(db, repeatable, jsonb({ id: key.id })))
  return write.run()
}

/**
 * Changes the name or rate limit of a key. Values that are already set change nothing.
 *
 * @returns the key afterward
 * @throws ApiError NOT_FOUND if there is no such key; CONFLICT if it is revoked
 */
export async function updateKey(db: Db, owner: KeyOwner, keyId: string, changes: KeyChanges, now: Date) {
  const write = transaction(db)
  const mine = and(eq(id, keyId), ownKeys(db, owner))
  write.lock(api_keys, mine)
  write.require(isFound(db, api_keys, mine), keyNotFound(owner, keyId))
  const revoked = new ApiError('CONFLICT', 'this API key is revoked and cannot be changed; create a new one')
  write.require(isFound(db, api_keys, and(mine, isNull(revoked_at))), revoked)
  const changing = and(mine, anyDiffers(api_keys, changes))
  takeAllowance(write, owner, 'changes', now, not(isFound(db, api_keys, changing)))
  write.add(auditEach(db, 'api_key.updated', api_keys, { operator_id, target: id, where: changing }, now))
  write.add(db.update(api_keys).set(changes).where(changing))
  const after = write.add(selectKeys(db, mine))
  await write.run()
  return only(after)
}

/**
 * Revokes a key permanently; repeated calls change nothing and return the same time.
 *
 * @returns the time of the revocation; null if there is no such key
 */
export async function revokeKey(db: Db, owner: KeyOwner, keyId: string, now: Date): Promise<string | null> {
  const write = transaction<'NO_ACTIVE_KEY'>(db)
  const mine = and(eq(id, keyId), ownKeys(db, owner))
  write.lock(api_keys, mine)
  write.require(isFound(db, api_keys, and(mine, isNull(revoked_at))), 'NO_ACTIVE_KEY')
  write.add(db.update(api_keys).set({ revoked_at: now.toISOString() }).where(mine))
  write.add(audit(db, [{ operator_id: owner.operator_id, action: 'api_key.revoked', target: keyId }], now))
  const refusal = await write.run()
  return refusal ? ((await findOwnKey(db, owner, keyId))?.revoked_at ?? null) : now.toISOString()
}

/** Adds a fold of usage counts to the rows of its keys; adding the same fold again changes nothing. */
export async function addUsage(db: Db, { id, usage }: Fold, now: Date): Promise<void> {
  await db.execute(sql`
    with fold as (
      insert into usage_folds (id, folded_at) values (${id}::uuid, ${timestamptz(now)})
      on conflict (id) do nothing returning id
    )
    update api_keys k set requests_count = k.requests_count + u.requests,
      last_used_at = greatest(k.last_used_at, u.last_used_at)
    from fold, jsonb_to_recordset(${jsonb(usage)})
      as u (key_id uuid, requests bigint, last_used_at timestamptz)
    where k.id = u.key_id`)
}
