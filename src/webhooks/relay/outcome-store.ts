import { type SQL, sql } from 'drizzle-orm'
import { auditRows } from '../../audit/store.ts'
import type { Db } from '../../db/client.ts'
import { timestamptz } from '../../db/sql.ts'
import { utcDay } from '../../lib/time.ts'
import { notifyOperators } from '../../notifications/store.ts'
import { ATTEMPTS_WITHOUT_RESPONSE_MAX, DISABLE_AFTER_FAILURES, DISABLE_AFTER_HOURS } from './limits.ts'
import { judge, type Outcome, type Verdict } from './verdict.ts'

/** A claimed attempt whose outcome is known. */
export interface Attempt {
  delivery_id: string
  number: number
  started_at: Date
  /** The URL of this attempt: the outcome does not count if the platform's URL has changed since. */
  webhook_url: string | null
  /** Whether it counts toward the operator's daily limit of attempts to URLs that have never returned 2xx. */
  counted: boolean
}

/**
 * Records the outcome of a claimed attempt and updates its delivery: delivered, failed after the last attempt or on 410, or
 * pending until the next attempt. The same statement updates the platform's failures in a row, and the attempts of a URL
 * that has never returned 2xx; if either reaches its limit, it disables the webhook, notifies the operator, and writes an
 * audit row.
 *
 * @returns when the next attempt is due; null if there is none, or another call has already recorded an outcome
 */
export async function recordOutcome(
  db: Db,
  attempt: Attempt,
  outcome: Outcome,
  now: Date,
): Promise<Date | null> {
  const { status, due, platform } = judge(outcome, attempt.number, attempt.started_at)
  const consequences = {
    succeeded: countSuccess(attempt, now),
    retrying: countFailure(attempt, platform, now),
    failed: countFailure(attempt, platform, now),
    gone: countFailure(attempt, platform, now),
  }
  const isFailure = platform !== null && platform !== 'succeeded'
  const result = await db.execute(sql`
    with ${sql.join(
      [
        moved(attempt, status, due, now),
        recorded(attempt, outcome),
        ...(platform ? consequences[platform] : []),
      ],
      sql`, `,
    )}
    select number, ${isFailure ? notifyOperators('webhook_disabled', sql`select * from disabled`, now) : sql`0`} as notified
    from recorded`)
  return result.rows.length > 0 ? due : null
}

function moved({ delivery_id, number }: Attempt, status: string, due: Date | null, now: Date): SQL {
  const deliveredAt = status === 'delivered' ? now.toISOString() : null
  return sql`moved as (
      update webhook_deliveries set status = ${status}, lease_until = null,
        next_attempt_at = ${due?.toISOString() ?? null}::timestamptz, published_at = null, publish_count = 0,
        delivered_at = ${deliveredAt}::timestamptz
      where id = ${delivery_id}::uuid and status = 'pending' and attempts = ${number}::integer
        and lease_until is not null
      returning id, event_id, platform_id
    )`
}

/** No excerpt is stored for a redacted event: a receiver can echo the text that was redacted in the meantime. */
function recorded({ number }: Attempt, outcome: Outcome): SQL {
  return sql`recorded as (
      update webhook_attempts a set duration_ms = ${outcome.duration_ms}::integer,
        response_status = ${outcome.response_status}::smallint, error = ${outcome.error},
        response_excerpt = case when (select e.data ? 'redacted' from webhook_events e where e.id = moved.event_id)
          then null else ${outcome.response_excerpt} end
      from moved where a.delivery_id = moved.id and a.number = ${number}::integer
      returning a.number
    )`
}

/**
 * Resets the failures of a platform; the last condition avoids an update if there are none and the time is recent. An
 * attempt that was counted toward the daily limit no longer is.
 */
function countSuccess({ webhook_url, counted, started_at }: Attempt, now: Date): SQL[] {
  const at = timestamptz(now)
  const reset = sql`reset as (
      update platforms p set consecutive_failures = 0, failing_since = null, last_response_at = ${at},
        attempts_without_response = 0
      from moved
      where p.id = moved.platform_id and p.webhook_url = ${webhook_url} and (p.consecutive_failures > 0
        or p.last_response_at is null or p.last_response_at <= ${at} - interval '1 minute')
    )`
  if (!counted) return [reset]
  // Postgres runs the last of two that nothing reads first, thus locks the operator's row before the platform's.
  const uncounted = sql`uncounted as (
      update operators o set unresponsive_attempts = greatest(0, o.unresponsive_attempts - 1)
      from moved join platforms p on p.id = moved.platform_id
      where o.id = p.operator_id and o.unresponsive_day = ${utcDay(started_at)}::date
    )`
  return [reset, uncounted]
}

/**
 * Counts a failure of the platform's webhook. Concurrent outcomes are serialized by the row's lock, so that exactly one
 * disables the webhook. A failed attempt that will be retried is counted only while the URL has never returned 2xx.
 */
function countFailure({ webhook_url }: Attempt, verdict: Verdict['platform'], now: Date): SQL[] {
  const at = timestamptz(now)
  const [isGone, isFinal] = [verdict === 'gone', verdict !== 'retrying']
  const since = sql`coalesce(p.failing_since, ${at})`
  const neverResponded = sql`p.last_response_at is null and p.attempts_without_response + 1 >= ${ATTEMPTS_WITHOUT_RESPONSE_MAX}::integer`
  const isFailing = sql`${isFinal}::boolean and p.consecutive_failures + 1 >= ${DISABLE_AFTER_FAILURES}::integer
          and ${since} <= ${at} - make_interval(hours => ${DISABLE_AFTER_HOURS}::integer)`
  return [
    sql`counted as (
      update platforms p set consecutive_failures = p.consecutive_failures + ${isFinal ? 1 : 0}::integer,
        failing_since = ${isFinal ? since : sql`p.failing_since`},
        attempts_without_response = case when p.last_response_at is null then p.attempts_without_response + 1 else 0 end,
        webhook_status = case when ${isGone}::boolean or ${neverResponded} or ${isFailing} then 'disabled' else 'enabled' end
      from moved
      where p.id = moved.platform_id and p.webhook_status = 'enabled' and p.webhook_url = ${webhook_url}
        and (${isFinal}::boolean or p.last_response_at is null)
      returning p.id, p.operator_id, p.slug, p.name, p.webhook_status, p.consecutive_failures, p.failing_since,
        p.attempts_without_response
    )`,
    sql`disabled as (
      select operator_id, slug as target, null::text as reg, 'Webhook of ' || name || ' disabled' as title,
        case when ${isGone}::boolean then 'The receiver returned status 410.'
          when attempts_without_response >= ${ATTEMPTS_WITHOUT_RESPONSE_MAX}::integer
          then 'None of the last ' || attempts_without_response || ' attempts returned status 2xx.'
          else consecutive_failures || ' deliveries in a row have failed since '
            || to_char(failing_since at time zone 'utc', 'YYYY-MM-DD HH24:MI') || ' UTC.' end
          || ' Webhook events are skipped until you enable the webhook again (PATCH /platforms/' || slug
          || '); then you can recover them.' as body
      from counted where webhook_status = 'disabled'
    )`,
    sql`audited as (${auditRows(sql`select * from disabled`, 'platform.webhook_disabled', now)})`,
  ]
}
