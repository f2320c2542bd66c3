import { sql } from 'drizzle-orm'
import { type AuditAction, audited } from '../src/audit/store.ts'
import { TIERS, type Tier } from '../src/db/enums.ts'
import type { operators } from '../src/db/schema.ts'
import { timestamptz } from '../src/db/sql.ts'
import { CEILINGS } from '../src/db/tiers.ts'
import { repairRestored } from './after-restore.ts'
import { withDatabase } from './support/database.ts'
import { messageOf } from './support/message.ts'
import { readStackFile } from './support/stack-file.ts'

const USAGE = `usage: npm run -s admin -- suspend <email>
       npm run -s admin -- unsuspend <email>
       npm run -s admin -- tier <email> ${TIERS.join('|')}
       npm run -s admin -- after-restore`

type Operator = typeof operators.$inferSelect
type Standing = Pick<Operator, 'email' | 'status' | 'tier' | 'agent_limit' | 'active_agents'>

/**
 * Changes an operator's status or tier, with an entry in its audit log when something has changed. Agents above a lower tier's limit stay as they are.
 *
 * @param databaseUrl the owner of the database
 * @param args `suspend <email>`, `unsuspend <email>` or `tier <email> <tier>`
 * @returns a line that says what is now
 * @throws Error when the words are off or no operator has this address
 */
export async function administer(databaseUrl: string, args: readonly string[]): Promise<string> {
  const [action = '', email = '', ...rest] = args
  const change = changeOf(action, rest)
  if (!change || !email) throw new Error(USAGE)
  const { rows } = await withDatabase(databaseUrl, (db) => {
    const { status = null, tier = null, agent_limit = null } = change
    const wanted = sql`coalesce(${status}::text, f.status), coalesce(${tier}::text, f.tier),
      coalesce(${agent_limit}::integer, f.agent_limit)`
    const now = new Date()
    const done = sql`select id as operator_id, ${tier}::text as target from changed`
    return db.execute<Standing>(sql`
      with found as materialized (
        select id, email, status, tier, agent_limit, active_agents from operators
        where lower(email) = lower(${email}) for no key update
      ), changed as (
        update operators o set (status, tier, agent_limit, updated_at) = row (${wanted}, ${timestamptz(now)})
        from found f where o.id = f.id and (f.status, f.tier, f.agent_limit) is distinct from (${wanted})
        returning o.id, o.email, o.status, o.tier, o.agent_limit, o.active_agents
      ), ${audited(done, change.action, now)}
      select * from changed union all select * from found where id not in (select id from changed)`)
  })
  if (rows.length === 0) throw new Error(`there is no operator ${email}; who has never signed in is none`)
  return rows.map(describe).join('\n')
}

interface Change {
  action: AuditAction
  status?: Operator['status']
  tier?: Tier
  agent_limit?: number
}

function changeOf(action: string, [tier, ...more]: string[]): Change | null {
  if (more.length > 0) return null
  if (action === 'suspend' && !tier) return { action: 'operator.suspended', status: 'suspended' }
  if (action === 'unsuspend' && !tier) return { action: 'operator.unsuspended', status: 'active' }
  if (action !== 'tier' || !tier) return null
  const known = TIERS.find((name) => name === tier)
  if (!known) throw new Error(`tier: must be ${TIERS.join('|')}, not '${tier}'`)
  return { action: 'operator.tier_changed', tier: known, agent_limit: CEILINGS[known].active_agents }
}

function describe({ email, status, tier, agent_limit, active_agents }: Standing) {
  const line = `${email}: ${status}, ${tier}, ${active_agents} of ${agent_limit} agents active`
  return active_agents > agent_limit ? `${line}; no more until they are fewer than ${agent_limit}` : line
}

if (import.meta.main) {
  try {
    const databaseUrl = process.env.DATABASE_URL || readStackFile().database_url
    const [action, ...args] = process.argv.slice(2)
    const lostUrl = process.env.LOST_DATABASE_URL || undefined
    console.log(
      action === 'after-restore' && args.length === 0
        ? await repairRestored({ databaseUrl, lostUrl }, new Date())
        : await administer(databaseUrl, process.argv.slice(2)),
    )
  } catch (error) {
    console.error(messageOf(error))
    process.exitCode = 1
  }
}
