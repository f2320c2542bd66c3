import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { audit } from '../../src/audit/store.ts'
import { agents, operators, platforms } from '../../src/db/schema.ts'
import { REG_PATTERN } from '../../src/lib/agent-number.ts'
import { type Leaf, leafBytes } from '../../src/transparency/leaf.ts'
import { type Command, ofOne } from './command.ts'
import { transact } from './transaction.ts'

/** The commands that withhold the texts of an agent or platform from everyone except its operator, and show them again. */
export const textCommands = {
  'withhold-text': changing(true),
  'show-text': changing(false),
}

function changing(withholds: boolean): Command {
  return ofOne('<agent number>|<slug>', (url, name) =>
    transact(url, (db) => changeTexts(db, name, withholds, new Date())),
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
  const [table, named] = isAgent ? [agents, eq(agents.reg, name)] : [platforms, eq(platforms.slug, name)]
  const { id, operator_id, texts_withheld_at } = table
  const changed = await db
    .update(table)
    .set({ texts_withheld_at: withholds ? now.toISOString() : null })
    .where(and(named, withholds ? isNull(texts_withheld_at) : isNotNull(texts_withheld_at)))
    .returning({ id, operator_id })
  for (const { id, operator_id } of changed) {
    const action = `${kind}.texts_${withholds ? 'withheld' : 'shown'}` as const
    await audit(db, [{ operator_id, action, target: name }], now)
    await queueLeaf(db, { name, id, isAgent, withholds }, now)
  }
  const ofOwner = eq(operators.id, operator_id)
  const [found] = await db
    .select({ status: operators.status })
    .from(table)
    .innerJoin(operators, ofOwner)
    .where(named)
  if (!found) throw new Error(`there is no ${kind} ${name}`)
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
