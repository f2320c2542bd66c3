import type pg from 'pg'
import { migrateDatabase } from '../../../scripts/migrate.ts'
import { takeTurn } from '../../support/log/database.ts'
import { fill } from '../../support/population.ts'
import { progress, type Servers } from '../requests/servers.ts'

const DAYS = 1

export interface Bench {
  client: pg.Client
  settings: Record<string, string>
  url: string
}

/** Creates a database with a log, and with events that are not logged yet. */
export async function makeDatabase(
  { open, postgresUrl, settings }: Servers,
  name: string,
  { agents, eventsPerAgent }: { agents: number; eventsPerAgent: number },
): Promise<Bench> {
  await (await open(postgresUrl)).query(`create database ${name}`)
  const url = Object.assign(new URL(postgresUrl), { pathname: `/${name}` }).href
  const databaseUrl = await migrateDatabase(url, 'bench')
  await fill(url, { agents, eventsPerAgent, days: DAYS, fullAgents: 0 }, (done) =>
    progress(`${name}: filled ${done} of ${agents} agents`),
  )
  const client = await open(url)
  await takeTurn(client, 1, new Date())
  await client.query('update agent_stats set unlogged_since = last_active_at')
  await client.query('vacuum analyze')
  return { client, settings: settings(databaseUrl), url }
}
