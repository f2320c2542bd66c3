import { and, desc, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { audited } from '../audit/store.ts'
import type { Fold } from '../credentials/usage.ts'
import type { Db } from '../db/client.ts'
import { api_keys } from '../db/schema.ts'
import { jsonb, textArray, timestamptz } from '../db/sql.ts'
import { holdOperator, quotaOf } from '../db/tiers.ts'
import { once, type Repeatable } from '../idempotency/store.ts'
import { offsetOf, type Page } from '../wire/page.ts'
import type { KeyChanges } from './schema.ts'

const { id, operator_id, platform_id, revoked_at } = api_keys

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

/** The owner of keys: an operator, or a platform that the operator has registered. */
export interface KeyOwner {
  operator_id: string
  /** The platform; null for the operator itself. */
  slug: string | null
}

/** The condition for the keys of an owner; matches none if the platform is not one of the operator's. */
function ownKeys(owner: KeyOwner): SQL | undefined {
  const scope = owner.slug === null ? isNull(platform_id) : eq(platform_id, platformOf(owner))
  return and(eq(operator_id, owner.operator_id), scope)
}

function platformOf({ operator_id, slug }: KeyOwner): SQL {
  return sql`(select id from platforms where slug = ${slug}::text and operator_id = ${operator_id}::uuid)`
}

/**
 * A page of the keys of an operator or platform, including revoked ones, newest first, and their total number.
 *
 * @returns null if there is no such platform
 */
export async function listKeys(
  db: Db,
  owner: KeyOwner,
  page: Page,
): Promise<{ data: ShownKey[]; total: number } | null> {
  const mine = ownKeys(owner)
  const [known, data, [counted]] = await db.batch([
    db.execute<{ id: string | null }>(sql`select ${platformOf(owner)} as id`),
    selectKeys(db, mine)
      .orderBy(desc(api_keys.created_at), desc(id))
      .limit(page.per_page)
      .offset(offsetOf(page)),
    db.select({ total: sql<number>`count(*)::integer` }).from(api_keys).where(mine),
  ])
  return owner.slug === null || known.rows[0]?.id ? { data, total: counted?.total ?? 0 } : null
}

/** A key of an owner, or null. */
export async function findOwnKey(db: Db, owner: KeyOwner, keyId: string): Promise<ShownKey | null> {
  return (await selectKeys(db, and(eq(id, keyId), ownKeys(owner))))[0] ?? null
}

type ApiKey = typeof api_keys.$inferSelect
type SetLater = 'revoked_at' | 'last_used_at' | 'requests_count'

export type NewKey = Omit<ApiKey, 'operator_id' | 'platform_id' | 'created_at' | SetLater> & {
  owner: KeyOwner
}

/**
 * Stores the salted hash of a new key, with its audit row, unless the operator has as many active keys as its tier allows.
 * One atomic round trip: the first statement locks the operator's row, so that the second one counts the keys of concurrent
 * calls.
 *
 * The platform's row is locked, too: a platform that is being retired gets no key.
 *
 * @param repeatable makes the call idempotent: repeated calls store one key
 * @returns `quota` is the number of active keys that the tier allows
 */
export async function insertKey(
  db: Db,
  key: NewKey,
  now: Date,
  repeatable: Repeatable | null,
): Promise<
  | { outcome: 'created' | 'repeated' | 'unknown_platform' | 'retired_platform' }
  | { outcome: 'too_many'; quota: number }
> {
  const { operator_id, slug } = key.owner
  const { first, unseen, keep, prior } = once(
    repeatable,
    () => sql`select jsonb_build_object('id', id) as answer from created`,
  )
  const [, result] = await db.batch([
    holdOperator(db, operator_id),
    db.execute<{ created: boolean; repeated: boolean; platform_status: string | null; quota: number }>(sql`
      with ${first}platform as materialized (
        select id, status from platforms where id = ${platformOf(key.owner)} for share
      ), held as (
        select ${quotaOf(sql`tier`, 'live_keys')}::integer as quota, (
          select count(*) from api_keys where operator_id = ${operator_id}::uuid and revoked_at is null
            and coalesce(expires_at, 'infinity') > ${timestamptz(now)}) as live
        from operators where id = ${operator_id}::uuid
      ), created as (
        insert into api_keys (id, operator_id, platform_id, name, key_prefix, salt, secret_hash, permissions,
          rate_limit_per_minute, expires_at, created_at)
        select ${key.id}::uuid, ${operator_id}::uuid, (select id from platform), ${key.name}, ${key.key_prefix}, ${key.salt},
          ${key.secret_hash}, ${textArray(key.permissions)},
          ${key.rate_limit_per_minute}::integer, ${key.expires_at}::timestamptz, ${timestamptz(now)}
        from held
        where ${unseen} and live < quota and (${slug}::text is null or exists (select from platform where status = 'active'))
        returning operator_id, id
      ), ${audited(sql`select operator_id, id as target from created`, 'api_key.created', now)}${keep}
      select exists (select from created) as created, ${prior} is not null as repeated, (select status from platform) as platform_status, quota from held`),
  ])
  const [row] = result.rows
  if (row?.repeated) return { outcome: 'repeated' }
  if (!row || (slug !== null && row.platform_status === null)) return { outcome: 'unknown_platform' }
  if (row.platform_status === 'retired') return { outcome: 'retired_platform' }
  return row.created ? { outcome: 'created' } : { outcome: 'too_many', quota: row.quota }
}

/**
 * Changes the name or rate limit of a key, with its audit row: one atomic round trip.
 *
 * @returns the changed key, or why it was not changed; `limit` is the maximum of the operator's tier
 */
export async function updateKey(
  db: Db,
  { owner, keyId, changes }: { owner: KeyOwner; keyId: string; changes: KeyChanges },
  now: Date,
): Promise<
  | { outcome: 'changed'; key: ShownKey }
  | { outcome: 'unknown' | 'revoked' }
  | { outcome: 'over_limit'; limit: number }
> {
  const { name = null, rate_limit_per_minute: wanted = null } = changes
  const mine = and(eq(id, keyId), ownKeys(owner))
  const [result, [key]] = await db.batch([
    db.execute<{ revoked: boolean; allowed: number; changed: boolean }>(sql`
      with found as (
        select api_keys.id, revoked_at is not null as revoked, ${limitOf}::integer as allowed
        from api_keys join operators o on o.id = operator_id
        where ${mine}
      ), changed as (
        update api_keys k set name = coalesce(${name}::text, k.name),
          rate_limit_per_minute = coalesce(${wanted}::integer, k.rate_limit_per_minute)
        from found f where k.id = f.id and k.revoked_at is null
          and (${wanted}::integer is null or ${wanted}::integer <= f.allowed)
        returning k.operator_id, k.id
      ), ${audited(sql`select operator_id, id as target from changed`, 'api_key.updated', now)}
      select revoked, allowed, exists (select from changed) as changed from found`),
    selectKeys(db, mine),
  ])
  const row = result.rows[0]
  if (!row || !key) return { outcome: 'unknown' }
  if (row.changed) return { outcome: 'changed', key }
  return row.revoked ? { outcome: 'revoked' } : { outcome: 'over_limit', limit: row.allowed }
}

/**
 * Revokes a key permanently; repeated calls change nothing and return the same time. One atomic round trip: the second
 * statement also sees a revocation by a concurrent call.
 *
 * @returns the time of the revocation; null if there is no such key
 */
export async function revokeKey(db: Db, owner: KeyOwner, keyId: string, now: Date): Promise<string | null> {
  const mine = and(eq(id, keyId), ownKeys(owner))
  const revoked = db
    .update(api_keys)
    .set({ revoked_at: now.toISOString() })
    .where(and(mine, isNull(revoked_at)))
    .returning({ operator_id, id })
  const [, [key]] = await db.batch([
    db.execute(sql`
      with revoked as ${revoked},
      ${audited(sql`select operator_id, id as target from revoked`, 'api_key.revoked', now)}
      select from revoked`),
    db.select({ revoked_at }).from(api_keys).where(mine),
  ])
  return key?.revoked_at ?? null
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
