import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../../../local/postgres/index.ts'
import { startNeon } from '../../../local/stand-ins/neon/index.ts'
import { startRedis } from '../../../local/stand-ins/redis/index.ts'
import { migrateDatabase } from '../../../scripts/migrate.ts'
import { SETTINGS } from '../../support/settings.ts'

/** Required settings, also of services that no measured request calls. */
const { ASSETS: _, ...REQUIRED } = SETTINGS

export interface Database {
  /** Of its owner. */
  url: string
  client: pg.Client
  /** The settings of a Worker on it. */
  settings: Record<string, string>
}

/** PostgreSQL, Neon's endpoint and Redis, in a folder of their own. */
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

/** Starts the servers that a Worker needs, runs some work, and always stops them. */
export async function withServers(work: (servers: Servers) => Promise<void>): Promise<void> {
  delete process.env.DATABASE_URL // a bench fills a database of its own
  const dir = mkdtempSync(join(tmpdir(), 'registry-bench-'))
  chmodSync(dir, 0o711) // where we are root, the database runs as another user, and its data shall go with the rest
  const stops: (() => unknown)[] = []
  const started = async <Part extends { stop(): Promise<unknown> }>(part: Promise<Part>): Promise<Part> => {
    const running = await part
    stops.push(() => running.stop())
    return running
  }
  const open = async (connectionString: string) => {
    const client = new pg.Client({ connectionString })
    client.on('error', () => undefined) // the server stops before the client when the bench fails
    await client.connect()
    stops.push(() => client.end())
    return client
  }
  try {
    const [postgres, neon, redis] = await Promise.all([
      started(startPostgres({ dir: join(dir, 'postgres'), say })),
      started(startNeon()),
      started(startRedis({ dir: join(dir, 'redis'), say })),
    ])
    const owner = await open(postgres.url)
    const { rows } = await owner.query<{ version: string }>('select version()')
    await work({
      dir,
      postgres: String(rows[0]?.version).split(' ').slice(0, 2).join(' '),
      redis: redis.engine === 'mock' ? 'embedded Redis' : 'redis-server',
      async create(name, migrate = migrateDatabase) {
        await owner.query(`create database ${name}`)
        const url = Object.assign(new URL(postgres.url), { pathname: `/${name}` }).href
        const settings = {
          ...REQUIRED,
          BASE_URL: 'http://127.0.0.1',
          DATABASE_URL: await migrate(url, 'bench'),
          NEON_SQL_URL: neon.url,
          UPSTASH_REDIS_REST_URL: redis.url,
          UPSTASH_REDIS_REST_TOKEN: redis.token,
          REDIS_TIMEOUT_MS: '2000',
        }
        return { url, client: await open(url), settings }
      },
      atEnd: (stop) => stops.push(stop),
    })
  } finally {
    for (const stop of stops.reverse()) await Promise.resolve().then(stop).catch(say)
    rmSync(dir, { recursive: true, force: true })
  }
}
