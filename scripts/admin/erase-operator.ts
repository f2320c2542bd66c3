import { parseArgs } from 'node:util'
import { inArray, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { audit } from '../../src/audit/store.ts'
import {
  agents,
  api_keys,
  kyc_checks,
  mails,
  notifications,
  operators,
  ownership_challenges,
  platforms,
  sessions,
} from '../../src/db/schema.ts'
import type { Command } from './command.ts'
import { DRY_RUN, describeCounts, transact } from './transaction.ts'

/** Erases what identifies the person behind an operator, whose account ends. */
export const eraseOperatorCommand: Command = {
  usage: '<email> [--dry-run]',
  async run(databaseUrl, args) {
    const { values, positionals } = parseArgs({ args: [...args], options: DRY_RUN, allowPositionals: true })
    const [email, ...more] = positionals
    if (!email || more.length > 0) return null
    const isDry = values['dry-run']
    return transact(
      databaseUrl(),
      async (db) => {
        const named = sql`lower(${operators.email}) = lower(${email})`
        const found = await db.select({ id: operators.id }).from(operators).where(named).for('no key update')
        if (found.length === 0) throw new Error(`there is no operator ${email}`)
        const ids = found.map(({ id }) => id)
        const counts = await eraseOperators(db, ids, new Date())
        return describeCounts(counts, isDry ? 'would be erased' : 'erased').join('\n')
      },
      isDry,
    )
  },
}

/** @returns the number of rows that were changed or deleted, by table */
async function eraseOperators(db: NodePgDatabase, ids: string[], now: Date) {
  const at = now.toISOString()
  const of = ({ operator_id }: { operator_id: PgColumn }) => inArray(operator_id, ids)
  const suspended = ids.map((operator_id) => ({
    operator_id,
    action: 'operator.suspended' as const,
    target: null,
  }))
  await audit(db, suspended, now)
  const changes = {
    mails: db.delete(mails).where(of(mails)),
    notifications: db.delete(notifications).where(of(notifications)),
    sessions: db
      .update(sessions)
      .set({
        ip: '',
        user_agent: '',
        name: null,
        ended_at: sql`coalesce(${sessions.ended_at}, ${at}::timestamptz)`,
      })
      .where(of(sessions)),
    api_keys: db
      .update(api_keys)
      .set({ name: '', revoked_at: sql`coalesce(${api_keys.revoked_at}, ${at}::timestamptz)` })
      .where(of(api_keys)),
    agents: db
      .update(agents)
      .set({
        name: sql`${agents.reg}`,
        description: '',
        specializations: [],
        homepage_url: null,
        card_url: null,
        ...{ domain: null, ownership_status: 'unverified', ownership_verified_at: null },
      })
      .where(of(agents)),
    ownership_challenges: db
      .delete(ownership_challenges)
      .where(
        inArray(ownership_challenges.agent_id, db.select({ id: agents.id }).from(agents).where(of(agents))),
      ),
    kyc_checks: db
      .update(kyc_checks)
      .set({
        provider_session_id: sql`'erased ' || ${kyc_checks.id}`,
        status: sql`case when ${kyc_checks.status} = 'pending' then 'canceled' else ${kyc_checks.status} end`,
        completed_at: sql`coalesce(${kyc_checks.completed_at}, ${at}::timestamptz)`,
      })
      .where(of(kyc_checks)),
    platforms: db
      .update(platforms)
      .set({ name: sql`${platforms.slug}`, webhook_url: null })
      .where(of(platforms)),
    operators: db
      .update(operators)
      .set({
        ...{ status: 'suspended', issuer: 'erased', subject: sql`${operators.id}::text` },
        ...{
          email: sql`${operators.id} || '@erased.invalid'`,
          name: sql`'Operator ' || right(${operators.id}::text, 6)`,
        },
        ...{ company_name: null, company_url: null, avatar_url: null, kyc_identity: null },
        ...{ mail_refused_at: at, updated_at: at },
      })
      .where(inArray(operators.id, ids)),
  }
  const counts: Record<string, number> = {}
  for (const [table, change] of Object.entries(changes)) counts[table] = (await change).rowCount ?? 0
  await eraseLogged(db, ids)
  return counts
}

/** The leaves of earlier texts stay in the transparency log, but can no longer be opened. */
async function eraseLogged(db: NodePgDatabase, ids: string[]): Promise<void> {
  const its = sql`a.operator_id in ${ids}`
  await db.execute(sql`update tlog_outbox o set texts = agent_texts(a) from agents a
    where o.kind = 'agent' and o.agent_id = a.id and ${its}`)
  await db.execute(sql`update tlog_facts f set texts = null from agents a
    where f.kind = 'agent' and f.agent_id = a.id and f.rev < a.revision and f.texts is not null and ${its}`)
}
