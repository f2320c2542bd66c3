import { sql } from 'drizzle-orm'
import type { AuditAction } from '../../src/audit/actions.ts'
import { auditRows } from '../../src/audit/store.ts'
import { TIERS, type Tier } from '../../src/db/enums.ts'
import type { operators } from '../../src/db/schema.ts'
import { timestamptz } from '../../src/db/sql.ts'
import { QUOTAS, quotaOf } from '../../src/db/tiers.ts'
import { withDatabase } from '../support/database.ts'
import type { Command } from './command.ts'

type Operator = typeof operators.$inferSelect
type Standing = Pick<Operator, 'email' | 'status' | 'tier' | 'agent_limit' | 'active_agents'> &
  Record<'live_keys' | 'faster_keys' | 'platforms' | 'live_sessions', number>

interface Change {
  action: AuditAction
  status?: Operator['status']
  tier?: Tier
  agent_limit?: number
}

const SUSPENDED: Change = { action: 'operator.suspended', status: 'suspended' }
const UNSUSPENDED: Change = { action: 'operator.unsuspended', status: 'active' }

/** The commands that change an operator's status or tier. Whatever exceeds the quotas of a lower tier is kept. */
export const operatorCommands = {
  suspend: { usage: '<email>', run: (url, args) => changeOnly(url, args, SUSPENDED) },
  unsuspend: { usage: '<email>', run: (url, args) => changeOnly(url, args, UNSUSPENDED) },
  tier: {
    usage: `<email> ${TIERS.join('|')}`,
    async run(url, [email, tier, ...more]) {
      if (!email || !tier || more.length > 0) return null
      const known = TIERS.find((name) => name === tier)
      if (!known) throw new Error(`tier: must be ${TIERS.join('|')}, not '${tier}'`)
      const agent_limit = QUOTAS[known].active_agents
      return change(url, email, { action: 'operator.tier_changed', tier: known, agent_limit })
    },
  },
} satisfies Record<string, Command>

async function changeOnly(url: string, [email, ...more]: readonly string[], wanted: Change) {
  return email && more.length === 0 ? change(url, email, wanted) : null
}

/** Changes an operator, and adds an entry to its audit log if something has changed. */
async function change(databaseUrl: string, email: string, change: Change): Promise<string> {
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
      ), audited as (${auditRows(done, change.action, now)}), operator as (
        select * from changed union all select * from found where id not in (select id from changed)
      )
      select o.*, k.live_keys, k.faster_keys, (
          select count(*)::integer from platforms p where p.operator_id = o.id and p.status = 'active') as platforms, (
          select count(*)::integer from sessions s where s.operator_id = o.id and s.ended_at is null
            and s.expires_at > ${timestamptz(now)}) as live_sessions
      from operator o cross join lateral (
        select count(*)::integer as live_keys, (count(*) filter (where rate_limit_per_minute
          > ${quotaOf(sql`o.tier`, 'key_requests_per_minute')}))::integer as faster_keys
        from api_keys where operator_id = o.id and revoked_at is null
          and coalesce(expires_at, 'infinity') > ${timestamptz(now)}) k`)
  })
  if (rows.length === 0)
    throw new Error(`there is no operator ${email}; an operator exists after the first sign-in`)
  return rows.map(describe).join('\n')
}

/** Describes the state of an operator, and the effect of its tier on whatever exceeds the quotas. */
function describe({ email, status, tier, agent_limit, active_agents, ...has }: Standing): string {
  const allowed = QUOTAS[tier]
  const noMore = (count: number, quota: number, what: string) =>
    count > quota ? [`no more ${what} until there are fewer than ${quota}`] : []
  return [
    `${email}: ${status}, ${tier}, ${active_agents} of ${agent_limit} agents active`,
    ...noMore(active_agents, agent_limit, 'agents'),
    ...noMore(has.live_keys, allowed.live_keys, `API keys in addition to the ${has.live_keys} active ones`),
    ...(has.faster_keys > 0
      ? [`${has.faster_keys} API keys are limited to ${allowed.key_requests_per_minute} requests per minute`]
      : []),
    ...noMore(has.platforms, allowed.platforms, `platforms in addition to the existing ${has.platforms}`),
    ...(has.live_sessions > allowed.live_sessions
      ? [`the next sign-in keeps ${allowed.live_sessions} of ${has.live_sessions} sessions`]
      : []),
  ].join('; ')
}
