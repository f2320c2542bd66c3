import { and, desc, eq, gte, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgDatabase, PgQueryResultHKT, PgTable } from 'drizzle-orm/pg-core'
import type { Db } from '../db/client.ts'
import { audit_log } from '../db/schema.ts'
import { isFound, only } from '../db/transaction.ts'
import { uuidv7 } from '../lib/ids.ts'
import { offsetOf } from '../wire/page.ts'
import type { AuditAction } from './actions.ts'
import type { AuditQuery } from './schema.ts'

/** An entry to add to the audit log of an operator. */
interface AuditEntry {
  operator_id: string
  action: AuditAction
  target: string | null
}

/** A statement of a transaction that adds entries to the audit log; null without entries. */
export function audit<R extends PgQueryResultHKT>(
  db: PgDatabase<R>,
  entries: readonly AuditEntry[],
  now: Date,
) {
  if (entries.length === 0) return null
  const rows = entries.map((entry, n) => ({ id: uuidv7(now, n), ...entry, created_at: now.toISOString() }))
  return db.insert(audit_log).values(rows)
}

/**
 * A statement of a transaction that adds an entry for each row that matches, in order of its target.
 *
 * @param rows of the table, each with its operator and target
 */
export function auditEach<R extends PgQueryResultHKT>(
  db: PgDatabase<R>,
  action: AuditAction,
  table: PgTable,
  {
    operator_id,
    target,
    where,
  }: Record<'operator_id' | 'target', PgColumn | SQL> & { where: SQL | undefined },
  now: Date,
) {
  const at = now.toISOString()
  return db.insert(audit_log).select(
    db
      .select({
        id: sql`nth_uuid(${uuidv7(now)}, row_number() over (order by ${target}))`.as('id'),
        operator_id: sql`${operator_id}`.as('operator_id'),
        action: sql`${action}`.as('action'),
        target: sql`${target}`.as('target'),
        created_at: sql`${at}::timestamptz`.as('created_at'),
      })
      .from(table)
      .where(where),
  )
}

/** Whether an operator has this entry, about a target, since a time. */
export function isAudited(
  db: Db,
  { operator_id, action, target }: AuditEntry & { target: string },
  since: Date,
): SQL {
  const same = and(
    eq(audit_log.operator_id, operator_id),
    eq(audit_log.action, action),
    eq(audit_log.target, target),
    gte(audit_log.created_at, since.toISOString()),
  )
  return isFound(db, audit_log, same)
}

/** A page of an operator's audit log, newest first, optionally of one action, and the total number of entries. */
export async function listAudit(db: Db, operatorId: string, { action: wanted, ...page }: AuditQuery) {
  const { id, action, target, created_at } = audit_log
  const mine = and(eq(audit_log.operator_id, operatorId), wanted && eq(action, wanted))
  const [data, counted] = await db.batch([
    db
      .select({ id, action, target, created_at })
      .from(audit_log)
      .where(mine)
      .orderBy(desc(created_at), desc(id))
      .limit(page.per_page)
      .offset(offsetOf(page)),
    db.select({ total: sql<number>`count(*)::integer` }).from(audit_log).where(mine),
  ])
  return { data, total: only(counted).total }
}
