import { takeTurn } from '../../support/log/database.ts'
import { fill } from '../../support/population.ts'
import { type Database, progress, type Servers } from '../requests/servers.ts'

const DAYS = 1

/** Creates a database with a log, and with events that are not logged yet. */
export async function makeDatabase(
  { create }: Servers,
  name: string,
  { agents, eventsPerAgent }: { agents: number; eventsPerAgent: number },
): Promise<Database> {
  const made = await create(name)
  await fill(made.url, { agents, eventsPerAgent, days: DAYS, fullAgents: 0 }, (done) =>
    progress(`${name}: filled ${done} of ${agents} agents`),
  )
  await takeTurn(made.client, 1, new Date())
  await made.client.query('update agent_stats set unlogged_since = last_active_at')
  await made.client.query('vacuum analyze')
  return made
}
