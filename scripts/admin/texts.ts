import { sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { auditRows } from '../../src/audit/store.ts'
import type { operators } from '../../src/db/schema.ts'
import { timestamptz } from '../../src/db/sql.ts'
import { REG_PATTERN } from '../../src/lib/agent-number.ts'
import { type Leaf, leafBytes } from '../../src/transparency/leaf.ts'
import { withDatabase } from '../support/database.ts'
import type { Command } from './command.ts'
import { inTransaction } from './transaction.ts'

type Found = { id: string; status: (typeof operators.$inferSelect)['status']; is_changed: boolean }

/** The commands that withhold the texts of an agent or platform from everyone except its operator, and show them again. */
export const textCommands = {
  'withhold-text': { usage: '<agent number>|<slug>', run: (url, args) => changeOnly(url, args, true) },
  'show-text': { usage: '<agent number>|<slug>', run: (url, args) => changeOnly(url, args, false) },
} satisfies Record<string, Command>

async function changeOnly(url: string, [name, ...more]: readonly string[], withholds: boolean) {
  if (!name || more.length > 0) return null
  return withDatabase(url, (db) =>
    inTransaction(db, false, () => changeTexts(db, name, withholds, new Date())),
  )
}

/**
 * Withholds the texts of an agent or platform, or shows them again. If that changes anything, adds an entry to the audit
 * log of its operator, and a leaf to the transparency log.
 *
 * @param db in a transaction
 * @param name an agent number, or the slug of a platform
 * @returns a line that states what is shown now
 * @throws Error when there is no such agent or platform
 */
export async function changeTexts(
  db: NodePgDatabase,
  name: string,
  withholds: boolean,
  now: Date,
): Promise<string> {
  const isAgent = REG_PATTERN.test(name)
  const kind = isAgent ? 'agent' : 'platform'
  const [table, column] = isAgent ? [sql`agents`, sql`reg`] : [sql`platforms`, sql`slug`]
  const { rows } = await db.execute<Found>(sql`
    with found as materialized (
      select id, operator_id, texts_withheld_at from ${table} where ${column} = ${name} for no key update
    ), changed as (
      update ${table} t set texts_withheld_at = case when ${withholds}::boolean then ${timestamptz(now)} end
      from found f where t.id = f.id and (f.texts_withheld_at is null) = ${withholds}::boolean
      returning t.operator_id
    ), audited as (${auditRows(
      sql`select operator_id, ${name}::text as target from changed`,
      `${kind}.texts_${withholds ? 'withheld' : 'shown'}`,
      now,
    )})
    select f.id, o.status, exists (select from changed) as is_changed
    from found f join operators o on o.id = f.operator_id`)
  const [found] = rows
  if (!found) throw new Error(`there is no ${kind} ${name}`)
  if (found.is_changed) await queueLeaf(db, { name, id: found.id, isAgent, withholds }, now)
  const state = withholds ? 'its texts are withheld' : 'its texts are shown'
  return found.status === 'suspended' && !withholds
    ? `${name}: ${state} as soon as its operator is no longer suspended`
    : `${name}: ${state}`
}

async function queueLeaf(
  db: NodePgDatabase,
  { name, id, isAgent, withholds }: { name: string; id: string; isAgent: boolean; withholds: boolean },
  now: Date,
): Promise<void> {
  const kind = isAgent ? 'withholding' : 'platform_withholding'
  const earlier = sql`kind = ${kind} and subject = ${id}`
  const { rows } = await db.execute<{ rev: number }>(sql`
    select 1 + max(rev) as rev from (
      select 0 as rev union all select rev from tlog_facts where ${earlier}
      union all select rev from tlog_outbox where ${earlier}
    ) known`)
  const act = {
    rev: rows[0]?.rev ?? 1,
    state: withholds ? 'withheld' : 'shown',
    at: now.toISOString(),
  } as const
  const leaf: Leaf = isAgent
    ? { v: 1, kind: 'withholding', reg: name, ...act }
    : { v: 1, kind: 'platform_withholding', platform: name, ...act }
  await db.execute(sql`insert into tlog_outbox (kind, subject, rev, agent_id, facts)
    values (${kind}, ${id}, ${act.rev}::integer, ${isAgent ? id : null}::uuid,
      ${new TextDecoder().decode(leafBytes(leaf))})`)
}
