import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import { timestamptz } from '../../db/sql.ts'
import type { Delivery } from '../../webhooks/manage/responses.ts'
import type { DeliveryQuery } from '../../webhooks/manage/schema.ts'
import { itemOf, ownPlatformCte, requireDeliveries } from '../../webhooks/manage/store.ts'
import type { OwnPlatform } from '../../wire/own-platform.ts'
import { LIST_DEPTH } from '../../wire/page.ts'

export const SUMMARY_HOURS = 24

/** A delivery as the console lists it: with its event, and the outcome of its last attempt that has ended. */
export interface ListedDelivery extends Delivery {
  reg: string | null
  is_test: boolean
  last: { response_status: number | null; duration_ms: number; error: string | null } | null
}

/** The attempts of the last 24 hours. */
export type AttemptSummary = {
  /** The age in hours, and how many attempts were answered with 2xx or failed; without hours that had none. */
  hours: [age: number, succeeded: number, failed: number][]
  /** The median and the 95th percentile of their duration, in ms; null without attempts. */
  median_ms: number | null
  slow_ms: number | null
}

/** Whether a webhook has a delivery that failed at least once and is being retried: no counter of the platform shows it. */
export function isRetrying(platform: SQL): SQL<boolean> {
  return sql`exists (select from webhook_deliveries r where r.platform_id = ${platform} and r.status = 'pending'
    and r.attempts > (r.lease_until is not null)::integer)`
}

/** The slugs of an operator's platforms with a delivery that is being retried. */
export async function listRetrying(db: Db, operatorId: string): Promise<Set<string>> {
  const { rows } = await db.execute<{ slug: string }>(sql`
    select p.slug from platforms p where p.operator_id = ${operatorId}::uuid and p.status = 'active'
      and ${isRetrying(sql`p.id`)}`)
  return new Set(rows.map(({ slug }) => slug))
}

const LISTED = sql`${itemOf(sql`d`)} || (
    select jsonb_build_object('reg', e.data ->> 'reg', 'is_test', e.data ->> 'test' is not distinct from 'true')
    from webhook_events e where e.id = d.event_id
  ) || jsonb_build_object('last', (
    select jsonb_build_object('response_status', a.response_status, 'duration_ms', a.duration_ms, 'error', a.error)
    from webhook_attempts a where a.delivery_id = d.id and a.duration_ms is not null order by a.number desc limit 1))`

/** A page of the deliveries to a platform; throws 404 if the operator has no such platform. */
export function requireListed(db: Db, own: OwnPlatform, query: DeliveryQuery) {
  return requireDeliveries<ListedDelivery>(db, own, query, LISTED)
}

/** Adds up the attempts of the last 24 hours, of the newest `LIST_DEPTH` deliveries to a platform. */
export async function sumUpAttempts(db: Db, own: OwnPlatform, now: Date): Promise<AttemptSummary> {
  const since = sql`${timestamptz(now)} - make_interval(hours => ${SUMMARY_HOURS}::integer)`
  const { rows } = await db.execute<AttemptSummary>(sql`
    with ${ownPlatformCte(own)}, recent as materialized (
      select d.id from webhook_deliveries d where d.platform_id = (select id from platform)
        and d.created_at > ${since} - interval '1 day'
      order by d.created_at desc limit ${LIST_DEPTH}::integer
    ), ended as materialized (
      select a.duration_ms, coalesce(a.response_status between 200 and 299 and a.error is null, false) as succeeded,
        floor(extract(epoch from ${timestamptz(now)} - a.started_at) / 3600)::integer as age
      from recent join webhook_attempts a on a.delivery_id = recent.id
      where a.duration_ms is not null and a.started_at > ${since} and a.started_at <= ${timestamptz(now)}
    )
    select coalesce((select jsonb_agg(jsonb_build_array(h.age, h.succeeded, h.failed)) from (
        select age, count(*) filter (where succeeded) as succeeded, count(*) filter (where not succeeded) as failed
        from ended group by age) h), '[]') as hours,
      (select round(percentile_cont(0.5) within group (order by duration_ms))::integer from ended) as median_ms,
      (select round(percentile_cont(0.95) within group (order by duration_ms))::integer from ended) as slow_ms`)
  const [summary] = rows
  if (!summary) throw new Error('an aggregate returned no row')
  return summary
}
