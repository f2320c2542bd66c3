import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import { audited } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import type { EventType } from '../db/enums.ts'
import { platforms } from '../db/schema.ts'
import { toIso } from '../lib/time.ts'
import { offsetOf, type Page } from '../wire/page.ts'
import type { PlatformChanges } from './schema.ts'

export interface NewPlatform {
  id: string
  operator_id: string
  slug: string
  name: string
  webhook_url: string | null
  webhook_secret: string
  event_types: readonly EventType[] | null
}

/**
 * Stores a platform with its audit row.
 *
 * @param platform its secret already encrypted
 * @returns false when the slug is taken
 */
export async function insertPlatform(db: Db, platform: NewPlatform, now: Date): Promise<boolean> {
  const result = await db.execute(sql`
    with created as (
      insert into platforms (id, operator_id, slug, name, webhook_url, webhook_secret, event_types, created_at)
      values (${platform.id}::uuid, ${platform.operator_id}::uuid, ${platform.slug}, ${platform.name},
        ${platform.webhook_url}, ${platform.webhook_secret}, ${typeArray(platform.event_types)},
        ${now.toISOString()}::timestamptz)
      on conflict (slug) do nothing
      returning slug as target
    ), ${audited(sql`created`, 'platform.registered', platform.operator_id, now)}
    select from created`)
  return result.rows.length > 0
}

/** What its operator sees of a platform: everything but the secrets. */
function shownColumns(now: Date) {
  const until = platforms.previous_webhook_secret_until
  return {
    slug: platforms.slug,
    name: platforms.name,
    created_at: platforms.created_at,
    webhook_url: platforms.webhook_url,
    event_types: platforms.event_types,
    webhook_status: platforms.webhook_status,
    failed_in_row: platforms.failed_in_row,
    failing_since: platforms.failing_since,
    previous_secret_expires_at:
      sql`case when ${until} > ${now.toISOString()}::timestamptz then ${until} end`.mapWith(isoOrNull),
  }
}

const isoOrNull = (time: string | null) => time && toIso(time)

/** A page of the platforms that an operator has registered, newest first, with how many there are. */
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
 * The platform with this slug: as its operator sees it, or as anybody does.
 *
 * @param operatorId who looks; null for the public
 * @returns null when there is no such platform
 */
export async function findPlatform(db: Db, slug: string, operatorId: string | null, now: Date) {
  const { name, created_at } = platforms
  const profile = db
    .select({ slug: platforms.slug, name, created_at })
    .from(platforms)
    .where(eq(platforms.slug, slug))
  if (operatorId === null) return (await profile)[0] ?? null
  const [[shown], [mine]] = await db.batch([profile, selectOwned(db, slug, operatorId, now)])
  return mine ?? shown ?? null
}

function selectOwned(db: Db, slug: string, operatorId: string, now: Date) {
  const isMine = and(eq(platforms.slug, slug), eq(platforms.operator_id, operatorId))
  return db.select(shownColumns(now)).from(platforms).where(isMine)
}

/**
 * Changes a platform of this operator, enables its webhook again, or both, with an audit row for each of the two that
 * changes something. An enabled webhook, and one with another URL, has not failed yet.
 *
 * @returns the platform after it; null when the operator has no such platform
 */
export async function updatePlatform(
  db: Db,
  { slug, operatorId, changes }: { slug: string; operatorId: string; changes: PlatformChanges },
  now: Date,
) {
  const { name = null, webhook_url, event_types, webhook_status } = changes
  const [, [platform]] = await db.batch([
    db.execute(sql`
      with held as materialized (
        select * from platforms where slug = ${slug} and operator_id = ${operatorId}::uuid for no key update
      ), wanted as (
        select id, coalesce(${name}::text, name) as name,
          case when ${webhook_url !== undefined}::boolean then ${webhook_url ?? null}::text
            else webhook_url end as webhook_url,
          case when ${event_types !== undefined}::boolean then ${typeArray(event_types ?? null)}
            else event_types end as event_types,
          ${webhook_status !== undefined}::boolean and webhook_status = 'disabled' as enables
        from held
      ), moved as (
        select w.*, h.slug as target, w.webhook_url is distinct from h.webhook_url as redirects,
          (w.name, w.webhook_url, w.event_types) is distinct from (h.name, h.webhook_url, h.event_types) as changes
        from wanted w join held h on h.id = w.id
      ), written as (
        update platforms p set name = m.name, webhook_url = m.webhook_url, event_types = m.event_types,
          webhook_status = case when m.enables then 'enabled' else p.webhook_status end,
          failed_in_row = case when m.enables or m.redirects then 0 else p.failed_in_row end,
          failing_since = case when m.enables or m.redirects then null else p.failing_since end
        from moved m where p.id = m.id and (m.changes or m.enables)
      ), done as (
        select target, 'platform.updated' as action from moved where changes
        union all select target, 'platform.enabled' from moved where enables
      ), ${audited(sql`done`, sql`action`, operatorId, now)}
      select from held`),
    selectOwned(db, slug, operatorId, now),
  ])
  return platform ?? null
}

/**
 * Gives a platform of this operator a new webhook secret, with its audit row; the one it had becomes the previous one.
 *
 * @param secret the new one, already encrypted
 * @param previousUntil how long the previous one signs too
 * @returns false when the operator has no such platform
 */
export async function rotateSecret(
  db: Db,
  rotation: { slug: string; operatorId: string; secret: string; previousUntil: Date },
  now: Date,
): Promise<boolean> {
  const result = await db.execute(sql`
    with rotated as (
      update platforms set previous_webhook_secret = webhook_secret,
        previous_webhook_secret_until = ${rotation.previousUntil.toISOString()}::timestamptz,
        webhook_secret = ${rotation.secret}
      where slug = ${rotation.slug} and operator_id = ${rotation.operatorId}::uuid
      returning slug as target
    ), ${audited(sql`rotated`, 'platform.secret_rotated', rotation.operatorId, now)}
    select from rotated`)
  return result.rows.length > 0
}

/** Event types as an array of the database; null, which stands for all of them, stays null. */
function typeArray(types: readonly EventType[] | null): SQL {
  if (types === null) return sql`null::text[]`
  return sql`array(select jsonb_array_elements_text(${JSON.stringify(types)}::jsonb))`
}
