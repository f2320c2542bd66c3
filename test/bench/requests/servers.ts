import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import pg from 'pg'
import { redisServerOnPath } from '../../../local/stand-ins/redis/index.ts'
import { migrateDatabase } from '../../../scripts/migrate.ts'
import { ownStack } from '../../support/harness.ts'
import { settingsOf } from '../../support/worker-settings.ts'

export interface Database {
  /** Of its owner. */
  url: string
  client: pg.Client
  /** The settings of a Worker on it. */
  settings: Record<string, string>
}

/** PostgreSQL, Neon's endpoint and Redis, of a stack of their own. */
export interface Servers {
  dir: string
  /** The names and versions of the servers. */
  postgres: string
  redis: string
  /** Creates a database with the tables of the service, or of another version of it. */
  create(name: string, migrate?: typeof migrateDatabase): Promise<Database>
  /** Registers something to stop before the servers. */
  atEnd(stop: () => unknown): void
}

export const say = (line: string) => process.stderr.write(`${line}\n`)
export const progress = (line: string) => process.stderr.write(`\r${line.padEnd(70)}`)

/** Stores the results of a benchmark as JSON. */
export function storeReport(file: string, report: object): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`)
  say(`written to ${file}`)
}

/** Starts a stack, runs some work on its servers, and always stops it. */
export async function withServers(work: (servers: Servers) => Promise<void>): Promise<void> {
  for (const name of ['DATABASE_URL', 'QSTASH_URL']) delete process.env[name]
  await using own = await ownStack({ checked: false })
  const stops: (() => unknown)[] = []
  try {
    const [{ version }] = await own.sql('select version()')
    await work({
      dir: own.dir,
      postgres: version.split(' ').slice(0, 2).join(' '),
      redis: redisServerOnPath() ? 'redis-server' : 'embedded Redis',
      async create(name, migrate = migrateDatabase) {
        await own.sql(`create database ${name}`)
        const url = Object.assign(new URL(own.database_url), { pathname: `/${name}` }).href
        const client = new pg.Client({ connectionString: url })
        client.on('error', () => undefined) // the server stops before the client when the bench fails
        await client.connect()
        stops.push(() => client.end())
        return {
          url,
          client,
          settings: { ...settingsOf(own.dir), DATABASE_URL: await migrate(url, 'bench') },
        }
      },
      atEnd: (stop) => stops.push(stop),
    })
  } finally {
    for (const stop of stops.reverse()) await Promise.resolve().then(stop).catch(say)
  }
}
