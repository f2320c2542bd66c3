import { connect } from '../../../src/db/client.ts'
import type { Env } from '../../../src/env.ts'
import { sequenceLog } from '../../../src/jobs/transparency.ts'
import { MINUTE_MS } from '../../../src/lib/time.ts'
import { makeSignerKey } from '../../../src/transparency/keys.ts'
import { middle, timed } from '../../support/load/figures.ts'
import { append, fillBusy, SAYS } from '../../support/log/traffic.ts'
import type { Servers } from '../requests/servers.ts'

const AGENTS = 1_000
const MINUTES = 10
const BATCHES = 60 // of a minute
const BATCH = 20
const DEADLINE_MS = 60_000

export interface Delay {
  events: number
  p50_s: number
  p99_s: number
  most_s: number
}

/**
 * Reports at random times of some minutes, each of which ends with the job. The delay of an event is the rest of its minute
 * plus the time of the job until its head was stored. The minutes are simulated; the job takes real time.
 */
export async function measureDelay({ create }: Servers): Promise<Delay> {
  const { client, settings } = await create('delay')
  const agents = await fillBusy(client, AGENTS)
  const { skey } = await makeSignerKey(SAYS.origin)
  const env = {
    ...settings,
    LOG_ORIGIN: SAYS.origin,
    LOG_KEY: skey,
    TOKEN_KEYS: [],
  } as unknown as Env
  const run = (now: Date) =>
    timed(() => sequenceLog({ env, db: connect(env, AbortSignal.timeout(DEADLINE_MS)), now }))
  const began = Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS
  await run(new Date(began))
  const delays: number[] = []
  for (let minute = 0; minute < MINUTES; minute++) {
    const times = Array.from({ length: BATCHES }, () => Math.random() * MINUTE_MS).toSorted((a, b) => a - b)
    for (const [n, ms] of times.entries()) {
      const first = (minute * BATCHES + n) * BATCH
      const regs = Array.from({ length: BATCH }, (_, at) => agents[(first + at) % AGENTS]?.reg ?? '')
      await append(client, regs, new Date(began + minute * MINUTE_MS + ms))
    }
    const took = await run(new Date(began + (minute + 1) * MINUTE_MS))
    for (const ms of times) delays.push(...Array(BATCH).fill((MINUTE_MS - ms + took) / 1_000))
  }
  const { rows } = await client.query<{ left: number }>(
    `select count(*)::integer as left from agent_stats where events > logged_events
       or (select max(size) from tlog_heads) <> (select size from tlog_state)`,
  )
  if (rows[0]?.left !== 0) throw new Error('not every event is below the head')
  return {
    events: delays.length,
    p50_s: middle(delays),
    p99_s: middle(delays, 0.99),
    most_s: Math.max(...delays),
  }
}
