import { and, desc, eq, sql } from 'drizzle-orm'
import { audited } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import { platforms } from '../db/schema.ts'
import { textArray, timestamptz } from '../db/sql.ts'
import { holdOperator, quotaOf } from '../db/tiers.ts'
import { once, type Repeatable, runOnce } from '../idempotency/store.ts'
import { toIso } from '../lib/time.ts'
import { offsetOf, type Page } from '../wire/page.ts'
import type { PlatformChanges } from './schema.ts'

/** Maximum number of pending deliveries that a retirement skips: a million would exceed the request's deadline. */
const SKIPPED_AT_ONCE = 10_000
/** A retired platform counts toward the quota for this long after its registration: nobody can reserve slugs in a loop. */
export const RETIRED_COUNT_DAYS = 30

type Platform = typeof platforms.$inferSelect

export type NewPlatform = Pick<
  Platform,
  'id' | 'operator_id' | 'slug' | 'name' | 'webhook_url' | 'webhook_secret' | 'event_types' | 'admission'
>

/** The columns of a platform that are public. */
const PROFILE = {
  slug: platforms.slug,
  name: platforms.name,
  status: platforms.status,
  admission: platforms.admission,
  established_at: platforms.established_at,
  distrusted_at: platforms.distrusted_at,
  created_at: platforms.created_at,
}

const WRITTEN = { operator_id: platforms.operator_id, slug: platforms.slug }

/**
 * Stores a platform with its audit row, unless its operator has as many as its tier allows. One atomic round trip: the
 * first statement locks the operator's row, so that the second one counts the platforms of concurrent calls.
 *
 * @param platform with an encrypted secret
 * @param repeatable makes the call idempotent: repeated calls store one platform
 * @returns `quota` is the number of platforms that the tier allows
 */
export async function insertPlatform(
  db: Db,
  { id, operator_id, slug, name, webhook_url, webhook_secret, event_types, admission }: NewPlatform,
  now: Date,
  repeatable: Repeatable | null,
): Promise<{ outcome: 'created' | 'repeated' | 'taken' } | { outcome: 'too_many'; quota: number }> {
  const { first, unseen, keep, prior } = once(
    repeatable,
    () => sql`select jsonb_build_object('slug', slug) as answer from created`,
  )
  const [, result] = await db.batch([
    holdOperator(db, operator_id),
    db.execute<{ created: boolean; repeated: boolean; has_room: boolean; quota: number }>(sql`
      with ${first}held as (
        select quota, quota > (
          select count(*) from platforms p where p.operator_id = ${operator_id}::uuid and (p.status = 'active'
            or p.created_at > ${timestamptz(now)} - make_interval(days => ${RETIRED_COUNT_DAYS}::integer))) as has_room
        from (
          select ${quotaOf(sql`tier`, 'platforms')}::integer as quota
          from operators where id = ${operator_id}::uuid) allowed
      ), created as (
        insert into platforms (id, operator_id, slug, name, webhook_url, webhook_secret, event_types, admission, created_at)
        select ${id}::uuid, ${operator_id}::uuid, ${slug}, ${name}, ${webhook_url}, ${webhook_secret},
          ${textArray(event_types)}, ${admission}, ${timestamptz(now)}
        from held where has_room and ${unseen}
        on conflict (slug) do nothing
        returning operator_id, slug
      ), ${audited(sql`select operator_id, slug as target from created`, 'platform.registered', now)}${keep}
      select exists (select from created) as created, ${prior} is not null as repeated, has_room, quota from held`),
  ])
  const [row] = result.rows
  if (!row) throw new Error('the operator of an active session does not exist')
  if (row.repeated) return { outcome: 'repeated' }
  if (row.created) return { outcome: 'created' }
  return row.has_room ? { outcome: 'taken' } : { outcome: 'too_many', quota: row.quota }
}

/** The columns of a platform that are shown to its operator: everything except the secrets. */
function shownColumns(now: Date) {
  const until = platforms.previous_webhook_secret_until
  return {
    ...PROFILE,
    webhook_url: platforms.webhook_url,
    event_types: platforms.event_types,
    webhook_status: platforms.webhook_status,
    answered_at: platforms.answered_at,
    unanswered_attempts: platforms.unanswered_attempts,
    failed_in_row: platforms.failed_in_row,
    failing_since: platforms.failing_since,
    previous_secret_expires_at: sql`case when ${until} > ${timestamptz(now)} then ${until} end`.mapWith(
      isoOrNull,
    ),
  }
}

const isoOrNull = (time: string | null) => time && toIso(time)

/** A page of an operator's platforms, newest first, and their total number. */
export async function listPlatforms(db: Db, operatorId: string, page: Page, now: Date) {
  const mine = eq(platforms.operator_id, operatorId)
  const [data, [counted]] = await db.batch([
    db
      .select(shownColumns(now))
      .from(platforms)
      .where(mine)
      .orderBy(desc(platforms.created_at), desc(platforms.id))
      .limit(page.per_page)
      .offset(offsetOf(page)),
    db.select({ total: sql<number>`count(*)::integer` }).from(platforms).where(mine),
  ])
  return { data, total: counted?.total ?? 0 }
}

/**
 * The platform with this slug, as shown to its operator or to the public.
 *
 * @param operatorId the viewer; null for the public
 * @returns null if there is no such platform
 */
export async function findPlatform(db: Db, slug: string, operatorId: string | null, now: Date) {
  const profile = db.select(PROFILE).from(platforms).where(eq(platforms.slug, slug))
  if (operatorId === null) return (await profile)[0] ?? null
  const [[shown], [mine]] = await db.batch([profile, selectOwned(db, slug, operatorId, now)])
  return mine ?? shown ?? null
}

/** A platform, as shown to its operator; null if the operator has no such platform. */
export async function findOwnPlatform(db: Db, slug: string, operatorId: string, now: Date) {
  return (await selectOwned(db, slug, operatorId, now))[0] ?? null
}

function selectOwned(db: Db, slug: string, operatorId: string, now: Date) {
  const isMine = and(eq(platforms.slug, slug), eq(platforms.operator_id, operatorId))
  return db.select(shownColumns(now)).from(platforms).where(isMine)
}

/**
 * Changes a platform of this operator, enables its webhook again, or both, each with its own audit row if it changes
 * something. Enabling the webhook or changing its URL resets its failures; changing the URL also resets `answered_at`. A
 * retired platform is left unchanged.
 *
 * @returns the platform afterward; null if the operator has no such platform
 */
export async function updatePlatform(
  db: Db,
  { slug, operatorId, changes }: { slug: string; operatorId: string; changes: PlatformChanges },
  now: Date,
) {
  const { name = null, webhook_url, event_types, admission = null, webhook_status } = changes
  const actions = sql`
        select operator_id, slug as target, 'platform.updated' as action from moved where changes
        union all select operator_id, slug, 'platform.enabled' from moved where enables`
  const [, [platform]] = await db.batch([
    db.execute(sql`
      with held as materialized (
        select * from platforms
        where slug = ${slug} and operator_id = ${operatorId}::uuid and status = 'active' for no key update
      ), wanted as (
        select id, coalesce(${name}::text, name) as name, coalesce(${admission}::text, admission) as admission,
          ${webhook_url === undefined ? sql`webhook_url` : sql`${webhook_url}::text as webhook_url`},
          ${event_types === undefined ? sql`event_types` : sql`${textArray(event_types)} as event_types`},
          ${webhook_status !== undefined}::boolean and webhook_status = 'disabled' as enables
        from held
      ), moved as (
        select w.*, h.operator_id, h.slug, w.webhook_url is distinct from h.webhook_url as redirects,
          (w.name, w.webhook_url, w.event_types, w.admission)
            is distinct from (h.name, h.webhook_url, h.event_types, h.admission) as changes
        from wanted w join held h on h.id = w.id
      ), written as (
        update platforms p set name = m.name, webhook_url = m.webhook_url, event_types = m.event_types,
          admission = m.admission, answered_at = case when not m.redirects then p.answered_at end,
          unanswered_attempts = case when m.enables or m.redirects then 0 else p.unanswered_attempts end,
          webhook_status = case when m.enables then 'enabled' else p.webhook_status end,
          failed_in_row = case when m.enables or m.redirects then 0 else p.failed_in_row end,
          failing_since = case when m.enables or m.redirects then null else p.failing_since end
        from moved m where p.id = m.id and (m.changes or m.enables)
      ), ${audited(actions, sql`action`, now)}
      select from held`),
    selectOwned(db, slug, operatorId, now),
  ])
  return platform ?? null
}

/**
 * Rotates the webhook secret of this operator's platform, with an audit row; the current secret becomes the previous one.
 *
 * @param secret the new secret, encrypted
 * @param previousUntil until when webhooks are also signed with the previous secret
 * @param repeatable makes the call idempotent: repeated calls rotate the secret once
 * @returns `retired` if the platform is retired: its secret is not rotated
 */
export async function rotateSecret(
  db: Db,
  rotation: { slug: string; operatorId: string; secret: string; previousUntil: Date },
  now: Date,
  repeatable: Repeatable | null,
): Promise<'rotated' | 'repeated' | 'retired' | 'unknown'> {
  const { first, unseen, keep, prior } = once(
    repeatable,
    () => sql`select jsonb_build_object('slug', slug) as answer from rotated`,
  )
  const isMine = and(eq(platforms.slug, rotation.slug), eq(platforms.operator_id, rotation.operatorId))
  const rotated = db
    .update(platforms)
    .set({
      previous_webhook_secret: sql`${platforms.webhook_secret}`,
      previous_webhook_secret_until: rotation.previousUntil.toISOString(),
      webhook_secret: rotation.secret,
    })
    .where(and(isMine, eq(platforms.status, 'active'), unseen))
    .returning(WRITTEN)
  const row = await runOnce<{ rotated: boolean; repeated: boolean }>(
    db,
    repeatable,
    sql`
    with ${first}rotated as ${rotated},
    ${audited(sql`select operator_id, slug as target from rotated`, 'platform.secret_rotated', now)}${keep}
    select exists (select from rotated) as rotated, ${prior} is not null as repeated from platforms where ${isMine}`,
  )
  if (!row) return 'unknown'
  if (row.repeated) return 'repeated'
  return row.rotated ? 'rotated' : 'retired'
}

/**
 * Retires a platform of this operator, with audit rows: revokes its keys and skips its pending deliveries, in one atomic
 * round trip. The first statement locks the row, so that the second one sees keys that concurrent calls have added.
 * Deliveries in progress, and those beyond `SKIPPED_AT_ONCE`, are skipped when they are due.
 *
 * @returns the platform afterward; null if the operator has no such platform
 */
export async function retirePlatform(db: Db, slug: string, operatorId: string, now: Date) {
  const at = timestamptz(now)
  const isMine = and(eq(platforms.slug, slug), eq(platforms.operator_id, operatorId))
  const actions = sql`
        select operator_id, slug as target, 'platform.retired' as action from retired
        union all select operator_id, id::text, 'api_key.revoked' from revoked`
  const [, , [platform]] = await db.batch([
    db.execute(sql`select from platforms where ${isMine} for no key update`),
    db.execute(sql`
      with retired as (
        update platforms set status = 'retired' where ${isMine} and status = 'active' returning id, operator_id, slug
      ), revoked as (
        update api_keys k set revoked_at = ${at} from retired r
        where k.platform_id = r.id and k.revoked_at is null returning k.operator_id, k.id
      ), skipped as (
        update webhook_deliveries set status = 'skipped', next_attempt_at = null, published_at = null
        where id = any (array(
          select d.id from webhook_deliveries d
          where d.platform_id = (select id from retired) and d.status = 'pending' and d.lease_until is null
          order by d.next_attempt_at limit ${SKIPPED_AT_ONCE}::integer for no key update skip locked))
      ), ${audited(actions, sql`action`, now)}
      select from retired`),
    selectOwned(db, slug, operatorId, now),
  ])
  return platform ?? null
}
