import { newSeed } from '../../support/log/traffic.ts'
import type { Servers } from '../requests/servers.ts'
import { type Bench, inTurns, makeDatabase, middle, timed } from './database.ts'

const CALL = 4_096
const TABLES = ['tlog_tiles', 'tlog_bundles', 'tlog_ranges', 'tlog_batches']
const MILLION = 1_000_000

export interface Rates {
  /** Leaves per second, with one event per agent and with a hundred. */
  one: number
  hundred: number
  /** Megabytes by table for a million events, with one event per agent and call, and with a hundred. */
  storage: Record<string, { one: number; hundred: number }>
}

/** Appends events to both databases, one call each in turn, until only one page more than `calls` is left. */
export async function measureRates(servers: Servers, calls: number): Promise<Rates> {
  const events = CALL * calls
  const one = await makeDatabase(servers, 'one', { agents: events, eventsPerAgent: 1 })
  const hundred = await makeDatabase(servers, 'hundred', {
    agents: Math.ceil(events / 100),
    eventsPerAgent: 100,
  })
  const append = (side: Bench) => () =>
    timed(async () => {
      const { rows } = await side.client.query<{ done: { appended: number } }>(
        'select tlog_append_events($1, $2, $3, null) as done',
        [CALL, newSeed(), new Date()],
      )
      if (rows[0]?.done.appended !== CALL) throw new Error('a call did not fill its page')
    })
  const times = await inTurns(calls, [append(one), append(hundred)])
  const rate = (list: number[]) => (1_000 * CALL) / middle(list)
  const storage: Rates['storage'] = {}
  for (const table of TABLES)
    storage[table] = { one: await sizeOf(one, table), hundred: await sizeOf(hundred, table) }
  return { one: rate(times[0]), hundred: rate(times[1]), storage }
}

async function sizeOf({ client }: Bench, table: string): Promise<number> {
  const { rows } = await client.query<{ megabytes: number }>(
    `select pg_total_relation_size($1) / 1e6 * $2 / size as megabytes from tlog_state`,
    [table, MILLION],
  )
  return Number(rows[0]?.megabytes)
}
