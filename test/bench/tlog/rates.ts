import { inTurns } from '../../support/load/clients.ts'
import { middle, timed } from '../../support/load/figures.ts'
import { newSeed } from '../../support/log/traffic.ts'
import type { Database, Servers } from '../requests/servers.ts'
import { makeDatabase } from './database.ts'

const CALL = 4_096

interface Rates {
  /** Leaves per second, with one event per agent and with a hundred. */
  one: number
  hundred: number
}

/** Appends events to both databases, one call each in turn, until only one page more than `calls` is left. */
export async function measureRates(servers: Servers, calls: number): Promise<Rates> {
  const events = CALL * calls
  const one = await makeDatabase(servers, 'one', { agents: events, eventsPerAgent: 1 })
  const hundred = await makeDatabase(servers, 'hundred', {
    agents: Math.ceil(events / 100),
    eventsPerAgent: 100,
  })
  const append = (side: Database) => () =>
    timed(async () => {
      const { rows } = await side.client.query<{ done: { appended: number } }>(
        'select tlog_append_events($1, $2, $3, null) as done',
        [CALL, newSeed(), new Date()],
      )
      if (rows[0]?.done.appended !== CALL) throw new Error('a call did not fill its page')
    })
  const times = await inTurns(calls, [append(one), append(hundred)])
  const rate = (list: number[]) => (1_000 * CALL) / middle(list)
  return { one: rate(times[0]), hundred: rate(times[1]) }
}
