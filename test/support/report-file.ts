import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { newCli, type Ran, type Started } from './cli.ts'
import type { Harness, Operator } from './harness.ts'

const AGENTS = 10
const REQUESTS_PER_MINUTE = 600 // of tier pro
const BATCH = '/api/v1/activity/report/batch'

/** An operator of tier pro with ten agents and a key that reports as often as the tier allows. */
async function newFleet(h: Harness): Promise<{ operator: Operator; regs: string[]; key: string }> {
  const operator = await h.newOperator({ tier: 'pro' })
  const agents = await Promise.all(Array.from({ length: AGENTS }, () => h.newAgent(operator)))
  const { id, key } = await h.newKey(operator)
  const body = { rate_limit_per_minute: REQUESTS_PER_MINUTE }
  await h.api('PATCH', `/operators/me/api-keys/${id}`, { token: operator.token, body })
  return { operator, regs: agents.map(({ reg }) => reg), key }
}

/** Lines of a file, each an event with a unique number in its metadata. */
export function linesOf(regs: readonly string[], count: number, first = 1): string {
  const lines = Array.from({ length: count }, (_, at) => {
    const n = first + at
    const metadata = { n, response_ms: 500 + (n % 1_000) }
    return JSON.stringify({ reg: regs[n % regs.length], event_type: 'task_completed', metadata })
  })
  return `${lines.join('\n')}\n`
}

/** How often each number is stored: events, and different numbers among them. */
export async function storedOf(
  h: Harness,
  regs: readonly string[],
): Promise<{ events: number; numbers: number; agents: number }> {
  const [found] = await h.sql(
    `select count(*)::integer as events, count(distinct metadata ->> 'n')::integer as numbers,
       count(distinct agent_id)::integer as agents
     from activity_events e join agents a on a.id = e.agent_id where a.reg = any ($1)`,
    [regs],
  )
  return found
}

/**
 * Reports a file of numbered events with a process that is killed after the registry has stored a batch, before it gets the
 * response, and started again until it completes.
 *
 * @param kills the batches, counted over all runs, at whose response the process is killed
 * @returns the output of the last run, and the duration of each
 */
export async function reportWithKills(
  h: Harness,
  { events, kills }: { events: number; kills: readonly number[] },
): Promise<{ regs: string[]; last: Ran; tookMs: number[]; batches: number }> {
  const { regs, key } = await newFleet(h)
  let batches = 0
  let running: Started | undefined
  await using cli = await newCli(h.base_url, {
    tamper: (path) => {
      if (path === BATCH && kills.includes(++batches)) running?.kill('SIGKILL')
      return undefined
    },
  })
  const env = { AGENTREG_API_KEY: key }
  writeFileSync(join(cli.dir, 'events.ndjson'), linesOf(regs, events))
  const tookMs: number[] = []
  for (let left = kills.length; ; left--) {
    const begun = Date.now()
    running = cli.start(['report', '-f', 'events.ndjson', '--json'], { env })
    const last = await running.ended
    tookMs.push(Date.now() - begun)
    if (left === 0) return { regs, last, tookMs, batches }
    expect(last).toMatchObject({ status: null, out: '' })
  }
}
