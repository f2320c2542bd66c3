import { and, eq, gt, isNull, or, sql } from 'drizzle-orm'
import type { AuditAction } from '../../src/audit/actions.ts'
import { audit } from '../../src/audit/store.ts'
import { TIERS, type Tier } from '../../src/db/enums.ts'
import { api_keys, operators, platforms, sessions } from '../../src/db/schema.ts'
import { QUOTAS, quotaOf } from '../../src/db/tiers.ts'
import { anyDiffers } from '../../src/db/transaction.ts'
import { type Command, ofOne } from './command.ts'
import { transact } from './transaction.ts'

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
  suspend: ofOne('<email>', (url, email) => change(url, email, SUSPENDED)),
  unsuspend: ofOne('<email>', (url, email) => change(url, email, UNSUSPENDED)),
  tier: {
    usage: `<email> ${TIERS.join('|')}`,
    async run(url, [email, tier, ...more]) {
      if (!email || !tier || more.length > 0) return null
      const known = TIERS.find((name) => name === tier)
      if (!known) throw new Error(`tier: must be ${TIERS.join('|')}, not '${tier}'`)
      const agent_limit = QUOTAS[known].active_agents
      return change(url(), email, { action: 'operator.tier_changed', tier: known, agent_limit })
    },
  },
} satisfies Record<string, Command>

/** Changes an operator, and adds an entry to its audit log if something has changed. */
async function change(databaseUrl: string, email: string, { action, ...values }: Change): Promise<string> {
  const at = new Date()
  const now = at.toISOString()
  const rows: Standing[] = await transact(databaseUrl, async (db) => {
    const { id, status, tier, agent_limit, active_agents } = operators
    const named = sql`lower(${operators.email}) = lower(${email})`
    const changed = await db
      .update(operators)
      .set({ ...values, updated_at: now })
      .where(and(named, anyDiffers(operators, values)))
      .returning({ operator_id: id })
    const entries = changed.map((operator) => ({ ...operator, action, target: values.tier ?? null }))
    await audit(db, entries, at)
    const { operator_id, revoked_at, expires_at, rate_limit_per_minute } = api_keys
    const live = and(eq(operator_id, id), isNull(revoked_at), or(isNull(expires_at), gt(expires_at, now)))
    const faster = and(live, gt(rate_limit_per_minute, quotaOf(sql`${tier}`, 'key_requests_per_minute')))
    const active = and(eq(platforms.operator_id, id), eq(platforms.status, 'active'))
    const signedIn = and(
      eq(sessions.operator_id, id),
      isNull(sessions.ended_at),
      gt(sessions.expires_at, now),
    )
    return db
      .select({
        ...{ email: operators.email, status, tier, agent_limit, active_agents },
        live_keys: db.$count(api_keys, live),
        faster_keys: db.$count(api_keys, faster),
        platforms: db.$count(platforms, active),
        live_sessions: db.$count(sessions, signedIn),
      })
      .from(operators)
      .where(named)
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
