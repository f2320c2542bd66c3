import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import type { AgentStatus, MAIL_STATUSES, Severity } from '../db/enums.ts'
import { mails, notifications, operators } from '../db/schema.ts'
import { transaction } from '../db/transaction.ts'
import { utcDay } from '../lib/time.ts'
import type { ScoreBasis } from '../trust/basis.ts'
import { scoreBasis } from '../trust/store.ts'
import type { Held } from './text.ts'

interface Incident {
  id: string
  severity: Severity
  status: AgentStatus
  /** What the standing of the agent is judged from. */
  basis: ScoreBasis
}

export type FoundMail = NonNullable<Awaited<ReturnType<typeof findMail>>>

/** A mail with the current texts of its notification and the settings of its operator; null if there is none. */
export async function findMail(db: Db, id: string, now: Date) {
  const incident = sql<Incident | null>`(select json_build_object('id', i.id, 'severity', i.severity, 'status', a.status,
      'basis', ${scoreBasis(utcDay(now), sql`a`)})
    from incidents i join agents a on a.id = i.agent_id where i.id = ${notifications.incident_id})`
  const held = sql<Held[] | null>`case ${mails.type} when 'weekly_digest'
    then mail_held_back(${mails.operator_id}, ${mails.created_at}) end`
  const [found = null] = await db
    .select({
      id: mails.id,
      status: mails.status,
      attempts: mails.attempts,
      created_at: mails.created_at,
      operator_id: mails.operator_id,
      type: mails.type,
      title: notifications.title,
      body: notifications.body,
      reg: notifications.reg,
      agent_name: sql<string | null>`(select name from agents a where a.reg = ${notifications.reg})`,
      incident,
      /** For a digest: the notifications of that week that were not mailed; null for other mails. */
      held,
      email: operators.email,
      operator_status: operators.status,
      mail_refused_at: operators.mail_refused_at,
      mail_opt_outs: operators.mail_opt_outs,
    })
    .from(mails)
    .innerJoin(notifications, eq(notifications.id, mails.id))
    .innerJoin(operators, eq(operators.id, mails.operator_id))
    .where(eq(mails.id, id))
  return found
}

/** What has become of a mail. */
export interface Outcome {
  status: (typeof MAIL_STATUSES)[number]
  error: string | null
  /** Whether the provider rejected its address. */
  rejects: boolean
}

/** Writes that a mail that was read is not sent: it has expired, or is not wanted any more. */
export async function dismissMail(db: Db, { id }: FoundMail, status: 'failed' | 'skipped') {
  await db
    .update(mails)
    .set({ status, error: status === 'failed' ? 'expired' : null })
    .where(and(eq(mails.id, id), eq(mails.status, 'pending')))
}

/**
 * Writes what the provider made of a mail. A rejected address is marked, if it is still the operator's.
 *
 * @param found the mail as it was read: of concurrent calls that were not accepted, one counts
 * @returns false if another call has written what became of the mail
 */
export async function settleMail(
  db: Db,
  { id, attempts, operator_id, email }: FoundMail,
  { status, error, rejects }: Outcome,
  now: Date,
): Promise<boolean> {
  // What the provider has accepted is sent, whatever a concurrent call concluded.
  const isOpen: SQL | undefined =
    status === 'sent'
      ? sql`${mails.status} <> 'sent'`
      : and(eq(mails.status, 'pending'), eq(mails.attempts, attempts))
  const write = transaction(db)
  const settled = write.add(
    db
      .update(mails)
      .set({ status, error, attempts: attempts + 1 })
      .where(and(eq(mails.id, id), isOpen))
      .returning({ id: mails.id }),
  )
  if (rejects) {
    const isTheirs = and(eq(operators.id, operator_id), eq(operators.email, email))
    write.add(
      db
        .update(operators)
        .set({ mail_refused_at: now.toISOString() })
        .where(and(isTheirs, isNull(operators.mail_refused_at))),
    )
  }
  await write.run()
  return settled.result.length > 0
}
