import { randomBytes } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { administer } from '../../scripts/admin.ts'
import { QUOTAS } from '../../src/db/tiers.ts'
import { checkCharacter } from '../../src/lib/agent-number.ts'
import type { Rollup } from '../../src/trust/rollup.ts'
import type { Body, Harness, Operator } from './harness.ts'
import { SOON } from './patience.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const PLENTY = QUOTAS.enterprise.key_requests_per_minute

/** The beginning of an update that stores score $2 as a snapshot does: a job that runs just now leaves it alone. */
export const AS_SNAPSHOT = `update agent_stats set trust_score_overall = $2, unscored_since = null,
  score_revision = score_revision + 1`

/** A word that no other text holds: letters only, so that a search reads it as one word. */
export const freshWord = () => [...randomBytes(14)].map((byte) => LETTERS.charAt(byte % 26)).join('')

/** A well-formed agent number that was never given out: its year lies before the registry. */
export function unknownReg(): string {
  const digits = `1950${String(randomBytes(4).readUInt32BE() % 100_000_000).padStart(8, '0')}`
  return `REG-${digits.slice(0, 4)}-${digits.slice(4, 8)}-${digits.slice(8)}-${checkCharacter(digits)}`
}

/** The same number with another check character. */
export const withWrongCheck = (reg: string) => reg.slice(0, -1) + (reg.endsWith('X') ? 'Y' : 'X')

/** The text of an API key that is never at its limit, for which its operator gets the highest tier. */
export async function tirelessKey(
  h: Harness,
  owner: Operator,
  permissions = ['activity:report'],
): Promise<string> {
  await administer(h.database_url, ['tier', owner.email, 'enterprise'])
  const key = await h.newKey(owner, permissions)
  await h.sql('update api_keys set rate_limit_per_minute = $2 where id = $1', [key.id, PLENTY])
  return key.key
}

/** An operator of the highest tier, with an agent and a key that is never at its limit. */
export async function tirelessReporter(h: Harness) {
  const operator = await h.newOperator()
  const [agent, key] = await Promise.all([h.newAgent(operator), tirelessKey(h, operator)])
  return { operator, agent, reg: agent.reg as string, key }
}

/** The log of an agent in its order, as it is stored. */
export async function logOf(h: Harness, reg: string): Promise<Body[]> {
  return h.sql(
    `select e.id, e.seq::integer, e.event_type, e.severity, e.metadata, e.reported_by, e.source, e.created_at
     from activity_events e join agents a on a.id = e.agent_id where a.reg = $1 order by e.seq`,
    [reg],
  )
}

/** Gives an agent these rollup rows until the test ends: no log says them, and the run ends with a look at all logs. */
export async function storeRows(h: Harness, agentId: string, rows: readonly Rollup[]): Promise<void> {
  onTestFinished(() => dropRows(h, [agentId]))
  await plantRows(h, agentId, rows)
}

/** Gives an agent rollup rows that no log says: `dropRows` must take them back. */
export async function plantRows(h: Harness, agentId: string, rows: readonly Rollup[]): Promise<void> {
  await h.sql(
    'insert into agent_evidence select * from jsonb_populate_recordset(null::agent_evidence, $1::jsonb)',
    [JSON.stringify(rows.map((row) => ({ ...row, agent_id: agentId })))],
  )
}

/** Takes every rollup row of these agents back. */
export async function dropRows(h: Harness, agentIds: readonly string[]): Promise<void> {
  await h.sql('delete from agent_evidence where agent_id = any ($1)', [agentIds])
  await h.sql('update agent_stats set scored_day = null where agent_id = any ($1)', [agentIds])
}

/** Waits until a check passes: for what happens after a response. */
export async function eventually<T>(look: () => Promise<T>, isThere: (found: T) => boolean): Promise<T> {
  for (const until = Date.now() + SOON.timeout; ; ) {
    const found = await look()
    if (isThere(found) || Date.now() > until) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
