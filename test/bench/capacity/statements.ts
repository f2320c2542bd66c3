import pg from 'pg'
import { byAgent } from '../../../src/activity/entries.ts'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { utcDay } from '../../../src/lib/time.ts'
import { ALGORITHM_VERSION } from '../../../src/trust/score.ts'
import { processorMsOf } from '../requests/cpu.ts'

const OPERATOR = '10000000-0000-7000-8000-000000000000'
const PLENTY = 20_000_000
const BATCH = 1_000
const BATCH_AGENTS = 50
const SECONDS = 3
const WARM_UP = 50

/** CPU time of Postgres in ms per statement, in a session that has cached its plans. */
export interface Statements {
  profile: number
  report: number
  batch: number
}

/** Measures the frequent statements as the Worker's role. */
export async function measureStatements(databaseUrl: string, agents: number): Promise<Statements> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ reg: string }>('select reg from agents order by id limit $1', [
      agents,
    ])
    const regs = rows.map(({ reg }) => reg)
    const today = utcDay(new Date())
    const pid = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid ?? 0
    const append = (reported: readonly string[]) => {
      const now = new Date()
      const events = reported.map((reg, n) => ({
        id: uuidv7(now, n),
        input: { ...EVENT, reg },
        incident: null,
      }))
      const values = [OPERATOR, 'operator', PLENTY, new Date().toISOString(), JSON.stringify(byAgent(events))]
      return client.query(
        'select append_events($1, null, $2, $3, $3::integer::bigint, $3::integer::bigint, $4, true, $5)',
        values,
      )
    }
    const own = regs.slice(0, BATCH_AGENTS)
    const batch = Array.from({ length: BATCH }, (_, n) => own[n % own.length] ?? '')
    return {
      profile: await spentBy(pid, (n) =>
        client.query('select agent_profile($1, $2::date, $3, 90)', [
          regs[(n * 7) % regs.length],
          today,
          ALGORITHM_VERSION,
        ]),
      ),
      report: await spentBy(pid, (n) => append([own[n % own.length] ?? ''])),
      batch: await spentBy(pid, () => append(batch)),
    }
  } finally {
    await client.end()
  }
}

const EVENT = {
  event_type: 'task_completed',
  severity: 'info' as const,
  metadata: { response_ms: 1_500, quality: 0.95 },
}

async function spentBy(pid: number, ask: (n: number) => Promise<unknown>): Promise<number> {
  for (let n = 0; n < WARM_UP; n++) await ask(n)
  const until = performance.now() + 1_000 * SECONDS
  const before = processorMsOf(pid)
  let requested = 0
  while (performance.now() < until) await ask(requested++)
  return (processorMsOf(pid) - before) / requested
}
