import { eq, sql } from 'drizzle-orm'
import { auditRows } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import { kyc_checks, operators } from '../db/schema.ts'
import { eachEventId, timestamptz } from '../db/sql.ts'
import { uuidv7 } from '../lib/ids.ts'
import { isNotified } from '../webhooks/outbox/audience-store.ts'
import { newEvent } from '../webhooks/outbox/events.ts'
import { emitEvents, type Publication } from '../webhooks/outbox/store.ts'
import { ANOTHER_PERSON, expiryOf } from './terms.ts'

const REASON_MAX = 500
const REGS_MAX = 1_000 // 24 KB of an event; an operator can have 10,000 agents

/** A check that ends without a verification. */
interface Rejection {
  status: 'failed' | 'canceled'
  reason: string | null
}

/** A check that the provider has verified. */
export interface Verification {
  status: 'verified'
  /** The result of `identityOf`; null if unknown. */
  identity: string | null
  /** The operator's name that the document was compared with. */
  name: string
  /** Whether the document shows that name. */
  is_name: boolean
}

export interface Settlement {
  session_id: string
  ending: Rejection | Verification
  /** The id of the webhook that reported it; null if we called the provider. */
  provider_event: string | null
}

type Check = typeof kyc_checks.$inferSelect
type Operator = typeof operators.$inferSelect

/** The state of the check after settling it. */
export type Settled = Pick<Check, 'status' | 'reason'> & {
  /** The operator's current name if it is not the one that was compared; nothing was changed in that case. */
  renamed_to: string | null
  deliveries: Publication[] | null
}

/**
 * Ends the check of a provider's session once, with its audit row and, if it is verified, the webhook events to the
 * platforms of the operator's agents: one statement. A pending check takes any ending; a failed one can still become
 * verified. A verified document of a different person than before fails the check. A failed or canceled renewal does not
 * affect the current verification.
 *
 * @returns null if there is no such check
 */
export async function settleCheck(
  db: Db,
  { session_id, ending, provider_event }: Settlement,
  now: Date,
): Promise<Settled | null> {
  const at = timestamptz(now)
  const isVerified = ending.status === 'verified'
  const reason = isVerified ? null : ending.reason && [...ending.reason].slice(0, REASON_MAX).join('')
  const { identity, name, is_name } = isVerified ? ending : { identity: null, name: null, is_name: false }
  const deliveries = isVerified ? emitEvents(verifiedEvents(now), now) : sql`null`
  const result = await db.execute<Settled>(sql`
    with held as materialized (
      select k.id, k.operator_id, k.status, k.reason, k.previous_status, o.name, o.kyc_status, o.kyc_identity,
        o.kyc_identity_released
      from kyc_checks k join operators o on o.id = k.operator_id
      where k.provider_session_id = ${session_id} for no key update
    ), judged as (
      select h.id, h.operator_id, h.previous_status, h.status as before, h.kyc_status,
        case when j.is_other then 'failed' else ${ending.status}::text end as status,
        case when j.is_other then ${ANOTHER_PERSON} else ${reason}::text end as reason
      from held h cross join lateral (
        select not h.kyc_identity_released and coalesce(h.kyc_identity <> ${identity}::text, false) as is_other) j
      where (h.status = 'pending' or ${isVerified}::boolean and h.status = 'failed'
          and h.reason is distinct from ${ANOTHER_PERSON})
        and h.name = coalesce(${name}::text, h.name)
    ), settled as (
      update kyc_checks k set status = j.status, completed_at = ${at}, reason = j.reason,
        provider_event_id = ${provider_event}
      from judged j where k.id = j.id
      returning j.*
    ), moved as (
      update operators o set updated_at = ${at},
        kyc_status = case when s.status = 'verified' then 'verified'
          when s.before <> 'pending' or o.kyc_status <> 'pending' then o.kyc_status
          when s.status = 'failed' then 'failed' else s.previous_status end,
        kyc_verified_at = case s.status when 'verified' then ${at} else o.kyc_verified_at end,
        kyc_expires_at = case s.status when 'verified' then ${timestamptz(expiryOf(now))} else o.kyc_expires_at end,
        kyc_identity = case s.status when 'verified' then coalesce(${identity}::text, o.kyc_identity)
          else o.kyc_identity end,
        kyc_identity_released = o.kyc_identity_released
          and not (s.status = 'verified' and ${identity}::text is not null),
        name_verified_at = case when s.status <> 'verified' then o.name_verified_at
          when ${is_name}::boolean then ${at}
          when o.kyc_identity is distinct from ${identity}::text and ${identity}::text is not null then null
          else o.name_verified_at end
      from settled s where o.id = s.operator_id
      returning o.id, o.name, o.name_verified_at, s.status
    ), audited as (${auditRows(sql`select operator_id, id as target, 'kyc.' || status as action from settled`, sql`action`, now)})
    select coalesce((select status from settled), held.status) as status,
      case when exists (select from settled) then (select reason from settled) else held.reason end as reason,
      case when held.name <> ${name}::text then held.name end as renamed_to, ${deliveries} as deliveries
    from held`)
  return result.rows[0] ?? null
}

/**
 * One event of a verification for each platform that is notified about active agents of the operator. It lists only the
 * agents on that platform (the oldest `REGS_MAX`): no platform learns about agents elsewhere.
 */
function verifiedEvents(now: Date) {
  const { type, created_at } = newEvent('operator.kyc_verified', now)
  return sql`
      select ${eachEventId(uuidv7(now))} as event_id, ${type}::text as type,
        ${timestamptz(created_at)} as created_at, t.platform_id, max(t.platform_state) as platform_state,
        jsonb_build_object('operator_id', m.id, 'operator_name', m.name,
          'operator_name_verified', m.name_verified_at is not null, 'kyc_status', m.status,
          'kyc_verified_at', ${created_at}::text,
          'regs', jsonb_agg(t.reg order by t.place) filter (where t.place <= ${REGS_MAX}::integer))
        || case when count(*) > ${REGS_MAX}::integer then '{"truncated": true}' else '{}' end::jsonb as data
      from moved m cross join lateral (
        select a.platform_id, a.platform_state, a.reg,
          row_number() over (partition by a.platform_id order by a.registered_at, a.id) as place
        from agents a join platforms p on p.id = a.platform_id
        where a.operator_id = m.id and a.status = 'active'
          and ${isNotified(sql`p`, sql`a.platform_state`, sql`${type}::text`)}
      ) t
      where m.status = 'verified'
      group by m.id, m.name, m.name_verified_at, m.status, t.platform_id`
}

/** A check, with the name of its operator. */
export type FoundCheck = Pick<Check, 'status' | 'reason' | 'created_at'> & Pick<Operator, 'name'>

/** The check of a provider's session, or null. */
export async function findCheck(db: Db, sessionId: string): Promise<FoundCheck | null> {
  const { status, reason, created_at } = kyc_checks
  const rows = await db
    .select({ status, reason, created_at, name: operators.name })
    .from(kyc_checks)
    .innerJoin(operators, eq(operators.id, kyc_checks.operator_id))
    .where(eq(kyc_checks.provider_session_id, sessionId))
  return rows[0] ?? null
}
