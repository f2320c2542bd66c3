import { join } from 'node:path'
import { type AgentVerdict, verifyAgent } from '../../packages/verify/index.ts'
import { DAY_MS, MINUTE_MS, utcDay } from '../../src/lib/time.ts'
import { eventually } from './fill.ts'
import { freshIp, type Harness } from './harness.ts'
import { run } from './log/story.ts'

const FIRST_DAY = 5
const DAY_DUE_MS = 10 * MINUTE_MS // after the end of a day, as in tlog_append_facts

/** Fetches with a new IP address. */
export const fetchFresh = (url: string, init: RequestInit) =>
  fetch(url, { ...init, headers: { ...init.headers, 'CF-Connecting-IP': freshIp() } })

/** Creates agents with six logged days of events, up to today, and functions that verify them. */
export async function newLoggedAgents(h: Harness, count: number) {
  const agents = await Promise.all(Array.from({ length: count }, () => newBusyAgent(h)))
  await h.cron() // logs and scores
  await h.cron() // logs the days that are scored
  return agents.map(({ operator, reg, id, key, report }) => {
    const state = join(h.dir, `${reg}.json`)
    const stranger = (...args: string[]) => run(h.base_url, reg, '--state', state, ...args)
    const owner = (...args: string[]) => stranger('--key', key, ...args)
    const verdict = () => verifyAgent(h.base_url, reg, { fetch: fetchFresh })
    return { operator, reg, id, key, report, state, stranger, owner, verdict }
  })
}

async function newBusyAgent(h: Harness) {
  const start = new Date(Date.now() - FIRST_DAY * DAY_MS)
  const operator = await h.newOperator({ now: start })
  const { reg, id }: Record<string, string> = await h.newAgent(operator, {}, start)
  const { key }: Record<string, string> = await h.newKey(operator, ['read', 'activity:report'], {}, start)
  const report = async (now: Date, count: number) => {
    const events = Array.from({ length: count }, (_, n) => ({
      reg,
      event_type: n % 5 === 4 ? 'task_failed' : 'task_completed',
      metadata: { quality: 0.9, response_ms: 900, n },
    }))
    await h.reportBatch(key ?? '', events, now)
  }
  for (let day = FIRST_DAY; day >= 0; day--) await report(new Date(Date.now() - day * DAY_MS), 16)
  return { operator, reg: reg ?? '', id: id ?? '', key: key ?? '', report }
}

/** Runs the jobs until an agent can be verified, as a run does nothing while another one is in progress. */
export async function untilVerified(h: Harness, reg: string): Promise<AgentVerdict> {
  return eventually(
    async () => {
      await h.cron()
      return verifyAgent(h.base_url, reg, { fetch: fetchFresh })
    },
    ({ verdict }) => verdict === 'verified',
  )
}

/** Runs the jobs until a query finds nothing that waits: a run does nothing while that of another test is in progress. */
export const untilNoneWaits = ({ cron, sql }: Harness, waiting: string, of: string) =>
  eventually(
    async () => {
      await cron()
      return sql(waiting, [of])
    },
    ({ length }) => length === 0,
  )

/** Runs the jobs until everything about an agent is in the log. */
export const untilLogged = (h: Harness, reg: string) =>
  untilNoneWaits(
    h,
    `select from agents a join agent_stats s on s.agent_id = a.id where a.reg = $1
     and (s.logged_events < s.events or exists (select from tlog_outbox o where o.agent_id = a.id))`,
    reg,
  )

/** Runs the jobs until the score of an agent is stored. */
export const untilScored = (h: Harness, reg: string) =>
  untilNoneWaits(
    h,
    'select from agent_stats s join agents a on a.id = s.agent_id where reg = $1 and unscored_since is not null',
    reg,
  )

/** Runs the jobs until all finished days are logged. */
export const closeDays = (h: Harness) =>
  untilNoneWaits(h, 'select from tlog_days where day < $1 limit 1', utcDay(new Date(Date.now() - DAY_DUE_MS)))

/** Runs statements as the owner of the database, with the triggers of some tables disabled. */
export async function withoutTriggers(
  { sql }: Pick<Harness, 'sql'>,
  tables: string[],
  ...statements: string[]
): Promise<void> {
  const each = (move: string) =>
    tables.map((table) => `alter table ${table} ${move} trigger user;`).join('\n')
  await sql(`begin;\n${each('disable')}\n${statements.join(';\n')};\n${each('enable')}\ncommit`)
}
