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

export function middle(list: readonly number[], share = 0.5): number {
  return (
    list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))] ?? Number.NaN
  )
}

/** Runs each round of both sides alternately, so that other load on the machine affects both. */
export async function inTurns<Result>(
  rounds: number,
  sides: readonly [(n: number) => Promise<Result>, (n: number) => Promise<Result>],
): Promise<[Result[], Result[]]> {
  const results: [Result[], Result[]] = [[], []]
  for (let n = 0; n < rounds; n++) {
    for (const side of n % 2 ? ([1, 0] as const) : ([0, 1] as const)) results[side].push(await sides[side](n))
  }
  return results
}

/** The median of the ratios of the second side to the first, by round. */
export function ratioOf([first, second]: [number[], number[]]): number {
  return middle(second.map((ms, n) => ms / (first[n] ?? Number.NaN)))
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
