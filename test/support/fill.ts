import { randomBytes } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { QUOTAS } from '../../src/db/tiers.ts'
import { checkCharacter } from '../../src/lib/agent-number.ts'
import type { Rollup } from '../../src/trust/rollup.ts'
import type { Body, Harness, Operator } from './harness.ts'
import { SOON } from './patience.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const PLENTY = QUOTAS.enterprise.key_requests_per_minute

/** The start of an update that stores score $2 like a snapshot, so that a concurrent job does not overwrite it. */
export const AS_SNAPSHOT = `update agent_stats set trust_score_overall = $2, trust_score_updated = now(), unscored_since = null,
  score_revision = score_revision + 1`

/** A unique word of letters only, which a search treats as one word. */
export const freshWord = () => [...randomBytes(14)].map((byte) => LETTERS.charAt(byte % 26)).join('')

/** A well-formed agent number that was never allocated, as its year is before the registry. */
export function unknownReg(): string {
  const digits = `1950${String(randomBytes(4).readUInt32BE() % 100_000_000).padStart(8, '0')}`
  return `REG-${digits.slice(0, 4)}-${digits.slice(4, 8)}-${digits.slice(8)}-${checkCharacter(digits)}`
}

/** The same number with another check character. */
export const withWrongCheck = (reg: string) => reg.slice(0, -1) + (reg.endsWith('X') ? 'Y' : 'X')

/** Creates an API key with a rate limit that tests never reach; its operator gets the highest tier. */
export async function tirelessKey(
  h: Harness,
  owner: Operator,
  permissions = ['activity:report'],
): Promise<string> {
  await h.admin('tier', owner.email, 'enterprise')
  const key = await h.newKey(owner, permissions)
  await h.sql('update api_keys set rate_limit_per_minute = $2 where id = $1', [key.id, PLENTY])
  return key.key
}

/** Creates an operator of the highest tier with an agent and a key whose rate limit tests never reach. */
export async function tirelessReporter(h: Harness) {
  const operator = await h.newOperator()
  const [agent, key] = await Promise.all([h.newAgent(operator), tirelessKey(h, operator)])
  return { operator, agent, reg: agent.reg as string, key }
}

/** The stored log of an agent, in order. */
export async function logOf(h: Harness, reg: string): Promise<Body[]> {
  return h.sql(
    `select e.id, e.seq::integer, e.event_type, e.severity, e.metadata, e.reported_by, e.source, e.platform, e.created_at
     from activity_events e join agents a on a.id = e.agent_id where a.reg = $1 order by e.seq`,
    [reg],
  )
}

/** Inserts rollup rows until the end of the test: they have no events, and the run ends with a check of all logs. */
export async function storeRows(h: Harness, agentId: string, rows: readonly Rollup[]): Promise<void> {
  onTestFinished(() => dropRows(h, [agentId]))
  await plantRows(h, agentId, rows)
}

/** Inserts rollup rows of an agent without events; `dropRows` must remove them. */
export async function plantRows(h: Harness, agentId: string, rows: readonly Rollup[]): Promise<void> {
  await h.sql(
    'insert into agent_evidence select * from jsonb_populate_recordset(null::agent_evidence, $1::jsonb)',
    [JSON.stringify(rows.map((row) => ({ ...row, agent_id: agentId })))],
  )
}

/** Removes all rollup rows of these agents. */
export async function dropRows(h: Harness, agentIds: readonly string[]): Promise<void> {
  await h.sql('delete from agent_evidence where agent_id = any ($1)', [agentIds])
  await h.sql('update agent_stats set scored_day = null where agent_id = any ($1)', [agentIds])
}

/**
 * Repeats a read until its result passes a check, for effects that follow a response.
 *
 * @throws Error with the last result when none has passed for as long as `SOON`
 */
export async function eventually<T>(read: () => Promise<T>, passes: (found: T) => boolean): Promise<T> {
  for (const until = Date.now() + SOON.timeout; ; ) {
    const found = await read()
    if (passes(found)) return found
    if (Date.now() > until) throw new Error(`still not as expected: ${JSON.stringify(found)}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
