import pg from 'pg'
import { z } from 'zod'
import type { AuditAction } from '../src/audit/store.ts'
import { TIER_AGENT_LIMIT } from '../src/operators/tiers.ts'
import { repairRestored } from './after-restore.ts'
import { messageOf } from './support/message.ts'
import { readStackFile } from './support/stack-file.ts'

const TIERS = Object.keys(TIER_AGENT_LIMIT).join('|')
const USAGE = `usage: npm run -s admin -- suspend <email>
       npm run -s admin -- unsuspend <email>
       npm run -s admin -- tier <email> ${TIERS}
       npm run -s admin -- after-restore`

const changed = z.array(
  z.object({
    email: z.string(),
    status: z.string(),
    tier: z.string(),
    agent_limit: z.number(),
    active_agents: z.number(),
  }),
)

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
  const client = new pg.Client({ connectionString: databaseUrl })
  try {
    await client.connect()
    const { rows } = await client.query(
      `with found as materialized (
         select id, email, status, tier, agent_limit, active_agents from operators
         where lower(email) = lower($1) for no key update
       ), changed as (
         update operators o set status = coalesce($3, f.status), tier = coalesce($4, f.tier),
           agent_limit = coalesce($5::integer, f.agent_limit), updated_at = $2::timestamptz
         from found f
         where o.id = f.id
           and (f.status, f.tier, f.agent_limit) is distinct from
             (coalesce($3, f.status), coalesce($4, f.tier), coalesce($5::integer, f.agent_limit))
         returning o.id, o.email, o.status, o.tier, o.agent_limit, o.active_agents
       ), audited as (
         insert into audit_log (id, operator_id, action, target, created_at)
         select gen_random_uuid(), id, $6, $4, $2::timestamptz from changed
       )
       select * from changed union all select * from found where id not in (select id from changed)`,
      [email, new Date().toISOString(), change.status, change.tier, change.agent_limit, change.action],
    )
    if (rows.length === 0) throw new Error(`there is no operator ${email}; who has never signed in is none`)
    return changed.parse(rows).map(describe).join('\n')
  } finally {
    await client.end()
  }
}

interface Change {
  action: AuditAction
  status?: 'suspended' | 'active'
  tier?: string
  agent_limit?: number
}

function changeOf(action: string, [tier, ...more]: string[]): Change | null {
  if (more.length > 0) return null
  if (action === 'suspend' && !tier) return { action: 'operator.suspended', status: 'suspended' }
  if (action === 'unsuspend' && !tier) return { action: 'operator.unsuspended', status: 'active' }
  if (action !== 'tier' || !tier) return null
  const limit = Object.entries(TIER_AGENT_LIMIT).find(([name]) => name === tier)?.[1]
  if (limit === undefined) throw new Error(`tier: must be ${TIERS}, not '${tier}'`)
  return { action: 'operator.tier_changed', tier, agent_limit: limit }
}

function describe({ email, status, tier, agent_limit, active_agents }: z.infer<typeof changed>[number]) {
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
