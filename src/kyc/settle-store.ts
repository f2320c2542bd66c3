import { eq, sql } from 'drizzle-orm'
import type { AuditAction } from '../audit/actions.ts'
import { audit } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import { kyc_checks, operators } from '../db/schema.ts'
import { timestamptz } from '../db/sql.ts'
import { transaction } from '../db/transaction.ts'
import { uuidv7 } from '../lib/ids.ts'
import { newEvent } from '../webhooks/outbox/events.ts'
import { emitEvents, type Publication, publicationsOf } from '../webhooks/outbox/store.ts'
import type { Settlement } from './settle-plan.ts'

const REGS_MAX = 1_000 // 24 KB of an event; an operator can have 10,000 agents

/** The check of a provider's session and its operator, to decide from how it ends. */
export type FoundCheck = NonNullable<Awaited<ReturnType<typeof findCheck>>>

/** The check of a provider's session and its operator; null if there is none. */
export async function findCheck(db: Db, sessionId: string) {
  const [found] = await db
    .select({ check: kyc_checks, operator: SETTLED_OPERATOR })
    .from(kyc_checks)
    .innerJoin(operators, eq(operators.id, kyc_checks.operator_id))
    .where(eq(kyc_checks.provider_session_id, sessionId))
  return found ?? null
}

const { id, name, kyc_status, kyc_identity, kyc_identity_released, name_verified_at } = operators
/** The columns of an operator that the end of a check depends on. */
export const SETTLED_OPERATOR = {
  id,
  name,
  kyc_status,
  kyc_identity,
  kyc_identity_released,
  name_verified_at,
}

/**
 * Writes the end of a check, with its audit row and, if it is verified, the webhook events to the platforms of the
 * operator's agents.
 *
 * @returns the deliveries of the events
 */
export async function writeSettlement(
  db: Db,
  { check, operator }: FoundCheck,
  plan: Settlement,
  now: Date,
): Promise<Publication[] | null> {
  const at = now.toISOString()
  const { status } = plan.check
  const write = transaction(db)
  write.unchanged(operators, operator)
  write.unchanged(kyc_checks, check)
  write.add(
    db
      .update(kyc_checks)
      .set({ ...plan.check, completed_at: at })
      .where(eq(kyc_checks.id, check.id)),
  )
  write.add(
    db
      .update(operators)
      .set({ ...plan.operator, updated_at: at })
      .where(eq(operators.id, operator.id)),
  )
  const action: AuditAction = `kyc.${status}`
  write.add(audit(db, [{ operator_id: operator.id, action, target: check.id }], now))
  const emitted = write.add(status === 'verified' ? emitVerified(db, operator.id, now) : null)
  await write.run()
  return publicationsOf(emitted)
}

/**
 * A statement of a transaction that sends one event of a verification to each platform that is notified about active
 * agents of the operator. It lists only the agents on that platform (the oldest `REGS_MAX`): no platform learns about
 * agents elsewhere.
 */
function emitVerified(db: Db, operatorId: string, now: Date) {
  const { type, created_at } = newEvent('operator.kyc_verified', now)
  const events = sql`
      select 'evt_' || replace(nth_uuid(${uuidv7(now)}, row_number() over ())::text, '-', '') as event_id, ${type}::text as type,
        ${timestamptz(created_at)} as created_at, t.platform_id, max(t.platform_state) as platform_state,
        jsonb_build_object('operator_id', o.id, 'operator_name', o.name,
          'operator_name_verified', o.name_verified_at is not null, 'kyc_status', o.kyc_status,
          'kyc_verified_at', ${created_at}::text,
          'regs', jsonb_agg(t.reg order by t.place) filter (where t.place <= ${REGS_MAX}::integer))
        || case when count(*) > ${REGS_MAX}::integer then '{"truncated": true}' else '{}' end::jsonb as data
      from operators o cross join lateral (
        select a.platform_id, a.platform_state, a.reg,
          row_number() over (partition by a.platform_id order by a.registered_at, a.id) as place
        from agents a join platforms p on p.id = a.platform_id
        where a.operator_id = o.id and a.status = 'active' and p.status = 'active'
          and (p.admission = 'open' or a.platform_state = 'confirmed')
      ) t
      where o.id = ${operatorId}::uuid
      group by o.id, t.platform_id`
  return db.execute<{ deliveries: Publication[] | null }>(
    sql`select ${emitEvents(events, now)} as deliveries`,
  )
}
