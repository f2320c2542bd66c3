import { and, desc, eq, gt, gte, isNull, not, or, sql } from 'drizzle-orm'
import { allowanceOf, takeAllowance } from '../allowances/store.ts'
import { audit, auditEach, isAudited } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import type { Tier } from '../db/enums.ts'
import { api_keys, operators, platforms, webhook_deliveries } from '../db/schema.ts'
import { jsonb, timestamptz } from '../db/sql.ts'
import { QUOTAS } from '../db/tiers.ts'
import { anyDiffers, isFound, only, transaction } from '../db/transaction.ts'
import { ApiError } from '../errors.ts'
import { isFirst, keepAnswer, type Repeatable } from '../idempotency/store.ts'
import { endOfDay, MINUTE_MS, toIso } from '../lib/time.ts'
import { hasAttemptsLeft } from '../webhooks/outbox/unresponsive-store.ts'
import { type OwnPlatform, ownPlatformNotFound } from '../wire/own-platform.ts'
import { isOwn, isOwnActive, requireOwnActive } from '../wire/own-platform-store.ts'
import { offsetOf, type Page } from '../wire/page.ts'
import { overQuota } from '../wire/quota.ts'
import { nameWithheld, type WithheldField } from '../wire/withheld.ts'
import type { PlatformChanges } from './schema.ts'

/** Maximum number of pending deliveries that a retirement skips: a million would exceed the request's deadline. */
const SKIPPED_AT_ONCE = 10_000
/** A retired platform counts toward the quota for this long after its registration: nobody can reserve slugs in a loop. */
const RETIRED_COUNT_DAYS = 30
const COUNTED = `platforms, including retired ones registered in the last ${RETIRED_COUNT_DAYS} days`

/** Maximum number of confirmed agents that are counted for the page of a platform. */
export const CONFIRMED_MAX = 1_000

type Platform = typeof platforms.$inferSelect

type NewPlatform = Pick<
  Platform,
  'id' | 'operator_id' | 'slug' | 'name' | 'webhook_url' | 'webhook_secret' | 'event_types' | 'admission'
>

/** The columns of a platform in every response that shows it. */
const SHARED = {
  slug: platforms.slug,
  name: platforms.name,
  status: platforms.status,
  admission: platforms.admission,
  established_at: platforms.established_at,
  distrusted_at: platforms.distrusted_at,
  created_at: platforms.created_at,
}

/** The columns of a platform that others see; they need a join of its operator. */
const PROFILE = {
  ...SHARED,
  name: sql<string>`public_platform_name(${platforms}, ${operators})`,
  operator_status: operators.status,
  withheld: sql<
    WithheldField[] | null
  >`case when texts_withheld(${operators.status}, ${platforms.texts_withheld_at}) then '{name}'::text[] end`,
}

/**
 * Stores a platform.
 *
 * @param platform with an encrypted secret
 * @param tier of its operator
 * @param repeatable makes the call idempotent: repeated calls store one platform
 * @returns whether it is a repeated call
 * @throws ApiError CONFLICT at the quota, or if the slug is taken
 */
export async function insertPlatform(
  db: Db,
  platform: NewPlatform,
  tier: Tier,
  now: Date,
  repeatable: Repeatable | null,
) {
  const { operator_id, slug } = platform
  const write = transaction<'REPEATED'>(db)
  const quota = QUOTAS[tier].platforms
  const recently = sql`${timestamptz(now)} - make_interval(days => ${RETIRED_COUNT_DAYS}::integer)`
  const isCounted = or(eq(platforms.status, 'active'), gt(platforms.created_at, recently))
  const counted = db.$count(platforms, and(eq(platforms.operator_id, operator_id), isCounted))

  write.require(isFirst(db, repeatable), 'REPEATED')
  const instead = 'retire one that was registered more than 30 days ago'
  const tooMany = new ApiError('CONFLICT', overQuota('platforms', quota, COUNTED, instead))
  write.require(sql`${counted} < ${quota}::integer`, tooMany)
  takeAllowance(write, { operator_id, tier }, 'changes', now)
  // Of concurrent requests for a slug, the first one gets it; the others wait for it and insert nothing.
  write.add(
    db
      .insert(platforms)
      .values({ ...platform, created_at: now.toISOString() })
      .onConflictDoNothing({ target: platforms.slug }),
  )
  const taken = new ApiError('CONFLICT', [['slug', `'${slug}' is already taken; choose another`]])
  write.requireAfter(isFound(db, platforms, eq(platforms.id, platform.id)), taken)
  write.add(audit(db, [{ operator_id, action: 'platform.registered', target: slug }], now))
  write.add(keepAnswer(db, repeatable, jsonb({ slug })))
  return write.run()
}

/** The columns of a platform that are shown to its operator: everything except the secrets. */
function shownColumns(now: Date) {
  const until = platforms.previous_webhook_secret_until
  return {
    ...SHARED,
    texts_withheld_at: platforms.texts_withheld_at,
    webhook_url: platforms.webhook_url,
    event_types: platforms.event_types,
    webhook_status: platforms.webhook_status,
    last_response_at: platforms.last_response_at,
    attempts_without_response: platforms.attempts_without_response,
    consecutive_failures: platforms.consecutive_failures,
    failing_since: platforms.failing_since,
    webhook_paused_until: sql`(select case when not ${hasAttemptsLeft(sql`${platforms}`, sql`o`, now)}
      then ${timestamptz(endOfDay(now))} end from operators o where o.id = ${platforms.operator_id})`.mapWith(
      isoOrNull,
    ),
    previous_secret_expires_at: sql`case when ${until} > ${timestamptz(now)} then ${until} end`.mapWith(
      isoOrNull,
    ),
  }
}

const isoOrNull = (time: string | null) => time && toIso(time)

/** A page of an operator's platforms, newest first, and their total number. */
export async function listPlatforms(db: Db, operatorId: string, page: Page, now: Date) {
  const mine = eq(platforms.operator_id, operatorId)
  const [data, counted] = await db.batch([
    db
      .select(shownColumns(now))
      .from(platforms)
      .where(mine)
      .orderBy(desc(platforms.created_at), desc(platforms.id))
      .limit(page.per_page)
      .offset(offsetOf(page)),
    db.select({ total: sql<number>`count(*)::integer` }).from(platforms).where(mine),
  ])
  return { data, total: only(counted).total }
}

/** The platform with this slug, as everyone sees it; null if there is none. */
export async function findPublicPlatform(db: Db, slug: string) {
  const [shown] = await selectPublic(db, slug)
  return shown ? nameWithheld(shown) : null
}

/** The number of agents that a platform has confirmed, read from an index; counts only up to `CONFIRMED_MAX`. */
export async function countConfirmed(db: Db, slug: string): Promise<number> {
  const { rows } = await db.execute<{ confirmed: number }>(sql`
    select count(*)::integer as confirmed from (
      select from agents where platform_id = (select id from platforms where slug = ${slug})
        and platform_state = 'confirmed' limit ${CONFIRMED_MAX}::integer) a`)
  return only(rows).confirmed
}

/** The platform with this slug, as an operator sees it; null if there is none. */
export async function findPlatform(db: Db, slug: string, operatorId: string, now: Date) {
  const [[shown], [mine]] = await db.batch([selectPublic(db, slug), selectOwned(db, slug, operatorId, now)])
  return mine ?? (shown ? nameWithheld(shown) : null)
}

function selectPublic(db: Db, slug: string) {
  return db
    .select(PROFILE)
    .from(platforms)
    .innerJoin(operators, eq(operators.id, platforms.operator_id))
    .where(eq(platforms.slug, slug))
}

/** A platform, as shown to its operator; throws 404 if the operator has no such platform. */
export async function requirePlatform(db: Db, { slug, operator_id }: OwnPlatform, now: Date) {
  const [found] = await selectOwned(db, slug, operator_id, now)
  if (!found) throw ownPlatformNotFound(slug)
  return found
}

function selectOwned(db: Db, slug: string, operatorId: string, now: Date) {
  return db
    .select(shownColumns(now))
    .from(platforms)
    .where(isOwn({ slug, operator_id: operatorId }))
}

const AUDITED = { operator_id: platforms.operator_id, target: platforms.slug }

/**
 * Changes a platform of this operator, enables its webhook again, or both, each with its own audit row if it changes
 * something. Enabling the webhook or changing its URL resets its failures; changing the URL also resets
 * `last_response_at`, but only 2xx resets `attempts_without_response`. A retired platform is left unchanged.
 *
 * @returns the platform afterward; null if the operator has no such platform
 */
export async function updatePlatform(
  db: Db,
  own: OwnPlatform,
  { webhook_status, ...changes }: PlatformChanges,
  now: Date,
) {
  const write = transaction(db)
  const isActive = isOwnActive(own)
  const { last_response_at, consecutive_failures, failing_since } = platforms
  const redirects = anyDiffers(platforms, { webhook_url: changes.webhook_url })
  const enables = webhook_status === undefined ? sql`false` : eq(platforms.webhook_status, 'disabled')
  const changing = and(isActive, anyDiffers(platforms, changes))
  const enabling = and(isActive, enables)

  write.lock(platforms, isActive)
  // Nothing is taken if the webhook is removed, so that it always can be; setting its URL again takes a change.
  const removing = changes.webhook_url === null ? and(isActive, redirects) : sql`false`
  const isFree = or(isFound(db, platforms, removing), not(isFound(db, platforms, or(changing, enabling))))
  takeAllowance(write, own, 'changes', now, isFree)
  write.add(auditEach(db, 'platform.updated', platforms, { ...AUDITED, where: changing }, now))
  write.add(auditEach(db, 'platform.enabled', platforms, { ...AUDITED, where: enabling }, now))
  write.add(
    db
      .update(platforms)
      .set({
        ...changes,
        webhook_status: sql`case when ${enables} then 'enabled' else ${platforms.webhook_status} end`,
        last_response_at: sql`case when not ${redirects} then ${last_response_at} end`,
        consecutive_failures: sql`case when ${enables} or ${redirects} then 0 else ${consecutive_failures} end`,
        failing_since: sql`case when not (${enables} or ${redirects}) then ${failing_since} end`,
      })
      .where(or(changing, enabling)),
  )
  const after = write.add(selectOwned(db, own.slug, own.operator_id, now))
  await write.run()
  return after.result[0] ?? null
}

interface Rotation {
  /** The new secret, encrypted. */
  secret: string
  /** Until when webhooks are also signed with the previous secret. */
  previousUntil: Date
  /** The rotation is a repeated one if a previous secret is valid until this time; null if it is not. */
  repeatedFrom: Date | null
}

/**
 * Rotates the webhook secret of this operator's platform; the current secret becomes the previous one.
 *
 * @returns whether it is a repeated rotation
 * @throws ApiError NOT_FOUND or CONFLICT if the operator has no such active platform
 */
export async function rotateSecret(
  db: Db,
  own: OwnPlatform,
  { secret, previousUntil, repeatedFrom }: Rotation,
  now: Date,
) {
  const write = transaction<'REPEATED'>(db)
  write.lock(operators, eq(operators.id, own.operator_id))
  write.lock(platforms, isOwn(own))
  if (repeatedFrom) {
    const isRepeated = gte(platforms.previous_webhook_secret_until, repeatedFrom.toISOString())
    write.require(not(isFound(db, platforms, and(isOwn(own), isRepeated))), 'REPEATED')
  }
  requireOwnActive(db, write, own)
  write.add(
    db
      .update(platforms)
      .set({
        previous_webhook_secret: sql`${platforms.webhook_secret}`,
        previous_webhook_secret_until: previousUntil.toISOString(),
        webhook_secret: secret,
      })
      .where(isOwn(own)),
  )
  const { operator_id, slug } = own
  // Rotating is never refused. So that it cannot fill the audit log, a minute of rotations has one entry, and a day of
  // those of an operator a limited number.
  const entry = { operator_id, action: 'platform.secret_rotated' as const, target: slug }
  const isUnaudited = not(isAudited(db, entry, new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS)))
  const { taken } = allowanceOf(sql`${operator_id}::uuid`, own.tier, 'audited_rotations', now)
  const isNew = sql`case when ${isUnaudited} then ${taken} end`
  write.add(auditEach(db, entry.action, platforms, { ...AUDITED, where: and(isOwn(own), isNew) }, now))
  return write.run()
}

/**
 * Retires a platform of this operator: revokes its keys and skips its pending deliveries. Deliveries in progress, and those
 * beyond `SKIPPED_AT_ONCE`, are skipped when they are due.
 *
 * @returns the platform afterward; null if the operator has no such platform
 */
export async function retirePlatform(db: Db, own: OwnPlatform, now: Date) {
  const write = transaction(db)
  const { operator_id, id: target, platform_id, revoked_at } = api_keys
  const ownId = sql`(${db.select({ id: platforms.id }).from(platforms).where(isOwn(own))})`
  const isActive = isOwnActive(own)
  const liveKeys = and(eq(platform_id, ownId), isNull(revoked_at))
  const { id, status, lease_until, next_attempt_at } = webhook_deliveries
  const waiting = db
    .select({ id })
    .from(webhook_deliveries)
    .where(and(eq(webhook_deliveries.platform_id, ownId), eq(status, 'pending'), isNull(lease_until)))
    .orderBy(next_attempt_at)
    .limit(SKIPPED_AT_ONCE)
    .for('no key update', { skipLocked: true })

  write.lock(platforms, isOwn(own))
  write.lock(api_keys, liveKeys)
  write.add(auditEach(db, 'platform.retired', platforms, { ...AUDITED, where: isActive }, now))
  write.add(auditEach(db, 'api_key.revoked', api_keys, { operator_id, target, where: liveKeys }, now))
  write.add(db.update(platforms).set({ status: 'retired' }).where(isActive))
  write.add(db.update(api_keys).set({ revoked_at: now.toISOString() }).where(liveKeys))
  write.add(
    db
      .update(webhook_deliveries)
      .set({ status: 'skipped', next_attempt_at: null, published_at: null })
      .where(sql`${id} = any (array(${waiting}))`),
  )
  const after = write.add(selectOwned(db, own.slug, own.operator_id, now))
  await write.run()
  return after.result[0] ?? null
}
