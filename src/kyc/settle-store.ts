import { sql } from 'drizzle-orm'
import { audited } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import { timestamptz } from '../db/sql.ts'
import { newEvent } from '../webhooks/outbox/events.ts'
import { eventColumns, type Publication, toOutbox } from '../webhooks/outbox/store.ts'
import { expiryOf } from './terms.ts'

const REASON_MAX = 500

/** How a check ends. */
export interface Ending {
  status: 'verified' | 'failed' | 'canceled'
  reason: string | null
}

/**
 * Ends the pending check of a provider's session, once, with its audit row and, when it is verified, the event to
 * every platform on which the operator has agents: one statement. Any other check stays as it is. A failed or
 * cancelled renewal leaves the running verification untouched.
 *
 * @param provider_event the id of the webhook that told of it; null when we have asked
 */
export async function settleCheck(
  db: Db,
  {
    session_id,
    ending,
    provider_event,
  }: { session_id: string; ending: Ending; provider_event: string | null },
  now: Date,
): Promise<{ deliveries: Publication[] | null }> {
  const at = timestamptz(now)
  const { status } = ending
  const reason = ending.reason && [...ending.reason].slice(0, REASON_MAX).join('')
  const moves = {
    verified: sql`kyc_status = 'verified', kyc_verified_at = ${at},
      kyc_expires_at = ${timestamptz(expiryOf(now))}`,
    failed: sql`kyc_status = case o.kyc_status when 'pending' then 'failed' else o.kyc_status end`,
    canceled: sql`kyc_status = case o.kyc_status when 'pending' then s.previous_status else o.kyc_status end`,
  }[status]
  const settled = sql`
    held as materialized (
      select o.id from operators o
      where o.id = (select operator_id from kyc_checks where provider_session_id = ${session_id}) for no key update
    ), settled as (
      update kyc_checks k set status = ${status}, completed_at = ${at}, reason = ${reason},
        provider_event_id = ${provider_event}
      from held where k.provider_session_id = ${session_id} and k.status = 'pending'
      returning k.id, k.operator_id, k.previous_status
    ), moved as (
      update operators o set ${moves}, updated_at = ${at} from settled s where o.id = s.operator_id
      returning o.id, o.name
    ), ${audited(sql`select operator_id, id as target from settled`, `kyc.${status}`, now)}`
  if (status !== 'verified') {
    await db.execute(sql`with ${settled} select from settled`)
    return { deliveries: null }
  }
  const event = newEvent('operator.kyc_verified', now)
  // The greater state is confirmed: one agent that the platform knows is enough.
  const news = sql`
      select ${eventColumns(event)}, p.platform_id, p.platform_state,
        jsonb_build_object('operator_name', m.name, 'kyc_status', 'verified', 'kyc_verified_at', ${event.created_at}::text,
          'regs', (select jsonb_agg(reg order by registered_at, id) from agents where operator_id = m.id)) as data
      from moved m cross join lateral (
        select platform_id, max(platform_state) as platform_state from agents
        where operator_id = m.id and platform_id is not null group by platform_id
      ) p`
  const { ctes, pending } = toOutbox(news, now)
  const result = await db.execute<{ deliveries: Publication[] | null }>(
    sql`with ${settled}, ${ctes} select ${pending} as deliveries`,
  )
  return { deliveries: result.rows[0]?.deliveries ?? null }
}
