import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { runCron } from '../../local/cron.ts'
import { startIdentity } from '../../local/identity/index.ts'
import { startKyc } from '../../local/kyc/index.ts'
import { migrateDatabase } from '../../local/migrate.ts'
import { startNeon } from '../../local/neon/index.ts'
import { freePort } from '../../local/port.ts'
import { type Postgres, startPostgres } from '../../local/postgres/index.ts'
import { type Launched, launch } from '../../local/process.ts'
import { SIGNING_KEYS, TOKEN } from '../../local/qstash/sign.ts'
import { redisServerOnPath } from '../../local/redis/index.ts'
import { startMock } from '../../local/redis/mock.ts'
import { type Backend, upstashRest } from '../../local/redis/rest.ts'
import { startServer } from '../../local/redis/server.ts'
import { keepSecrets } from '../../local/secrets.ts'
import { fromFetch, serve } from '../../local/serve.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { type BareWorker, type Bundle, startBare } from '../workerd.ts'
import { type Link, startLink } from './link.ts'
import { type QStashControl, qstashControl } from './qstash-control.ts'

const START_MS = 20_000
const KILL_MS = 5_000
const REDIS_TOKEN = 'redis-token'
const REDIS_TIMEOUT_MS = '150' // as in production

/** A part that can be killed as a crash would, and started again. */
interface Part {
  kill(): Promise<void>
  start(): Promise<void>
}

/** The whole service, each part a process or a stand-in that can be taken away, with a piece of network before it. */
export interface Plant {
  dir: string
  baseUrl: string
  mailboxUrl: string
  webhookUrl: string
  receiver: Receiver
  links: Record<'front' | 'postgres' | 'neon' | 'redis' | 'qstash' | 'receiver', Link>
  postgres: Part & { isAlive(): Promise<boolean> }
  /** Starts empty again. */
  redis: Part
  qstash: Part & QStashControl
  worker: Part
  /** Identity provider and identity checks. */
  providers: Part
  databaseUrl(): string
  sql(text: string, values?: unknown[]): Promise<pg.QueryResult['rows']>
  cron(at: Date): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts everything in a folder of its own, which goes with it.
 *
 * @param mount makes the folder of the database's data something else; answers what undoes that
 */
export async function startPlant(bundle: Bundle, mount?: (dir: string) => () => void): Promise<Plant> {
  const dir = await mkdtemp(join(tmpdir(), 'faults-'))
  const stops: (() => unknown)[] = [() => rm(dir, { recursive: true, force: true })]
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await Promise.resolve(end()).catch(complain)
  }
  try {
    await chmod(dir, 0o711) // where we are root, the database runs as another user
    return { ...(await build(dir, bundle, stops, mount)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const complain = (error: unknown) => console.error(`stopping: ${error}`)

type Stops = (() => unknown)[]

async function build(dir: string, bundle: Bundle, stops: Stops, mount?: (dir: string) => () => void) {
  const at = (name: string) => join(dir, name)
  const link = async (...of: Parameters<typeof startLink>) => {
    const made = await startLink(...of)
    stops.push(made.stop)
    return made
  }
  const secrets = keepSecrets(dir)
  if (mount) stops.push(mount(at('postgres')))

  const postgres = await runPostgres(at('postgres'), stops)
  const toPostgres = await link(() => postgres.port())
  const workerDatabase = new URL(await migrateDatabase(postgres.url(), secrets.worker_password))
  workerDatabase.port = String(toPostgres.port)
  const neon = await startNeon()
  const redis = await runRedis(at('redis'), stops)
  const receiver = await startReceiver()
  stops.push(neon.stop, receiver.stop)
  const portOf = (url: string) => Number(new URL(url).port)

  let worker: BareWorker | null = null
  const front = await link(() => (worker ? portOf(worker.url) : null), { host: 'localhost' })
  const baseUrl = `http://localhost:${front.port}`
  const qstash = await runQStash(at('qstash'), stops)
  const links = {
    front,
    postgres: toPostgres,
    neon: await link(() => portOf(neon.url)),
    redis: await link(() => portOf(redis.url)),
    qstash: await link(() => qstash.port),
    receiver: await link(() => portOf(receiver.url)),
  }
  const providers = await runProviders(dir, baseUrl, stops)
  const here = (to: Link) => `http://127.0.0.1:${to.port}`
  const vars: Record<string, string> = {
    BASE_URL: baseUrl,
    DATABASE_URL: workerDatabase.href,
    NEON_SQL_URL: `${here(links.neon)}/sql`,
    UPSTASH_REDIS_REST_URL: here(links.redis),
    UPSTASH_REDIS_REST_TOKEN: REDIS_TOKEN,
    REDIS_TIMEOUT_MS,
    QSTASH_URL: here(links.qstash),
    QSTASH_TOKEN: TOKEN,
    QSTASH_CURRENT_SIGNING_KEY: SIGNING_KEYS.current,
    QSTASH_NEXT_SIGNING_KEY: SIGNING_KEYS.next,
    ...providers.vars,
    SECRETS_KEY: secrets.secrets_key,
    ALLOW_TEST_CLOCK: 'true',
    ALLOW_LOCAL_WEBHOOKS: 'true',
  }
  await writeFile(
    at('worker.env'),
    Object.entries(vars)
      .map(([name, value]) => `${name}='${value}'\n`)
      .join(''),
  )
  const startWorker = async () => {
    worker = await startBare(bundle, dir)
  }
  await startWorker()
  stops.push(() => worker?.kill())

  return {
    dir,
    baseUrl,
    mailboxUrl: providers.mailboxUrl,
    webhookUrl: `${here(links.receiver)}/hook`,
    receiver,
    links,
    postgres,
    redis,
    qstash,
    providers,
    worker: {
      start: startWorker,
      async kill() {
        const dying = worker
        worker = null
        await dying?.kill()
      },
    },
    databaseUrl: postgres.url,
    async sql(text: string, values: unknown[] = []) {
      const client = new pg.Client({ connectionString: postgres.url() })
      client.on('error', () => undefined)
      await client.connect()
      try {
        return (await client.query(text, values)).rows
      } finally {
        await client.end()
      }
    },
    cron: (now: Date) => runCron(baseUrl, now),
  }
}

async function runPostgres(dir: string, stops: Stops) {
  let running: Postgres | null = await startPostgres({ dir })
  let url = running.url
  let pid = 0
  const pidOf = async () => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
    client.on('error', () => undefined)
    await client.connect()
    const { rows } = await client.query(
      `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::integer as pid`,
    )
    await client.end()
    return rows[0].pid as number
  }
  stops.push(() => running?.stop())
  pid = await pidOf()
  return {
    url: () => url,
    port: () => (running ? Number(new URL(url).port) : null),
    isAlive: () =>
      pidOf().then(
        () => true,
        () => false,
      ),
    async kill() {
      const killed = running
      running = null
      process.kill(pid, 'SIGKILL')
      await killed?.lost
    },
    async start() {
      await running?.stop()
      running = await startPostgres({ dir })
      url = running.url
      pid = await pidOf()
    },
  }
}

async function runRedis(dir: string, stops: Stops) {
  const start = () => (redisServerOnPath() ? startServer(dir) : startMock())
  let backend: Backend | null = await start()
  const run: Backend['run'] = (commands, atomic) =>
    backend ? backend.run(commands, atomic) : Promise.reject(new Error('no Redis'))
  const served = await serve('redis', fromFetch(upstashRest(run, REDIS_TOKEN)))
  stops.push(() => backend?.stop(), served.stop)
  return {
    url: served.url,
    async kill() {
      const killed = backend
      if (!killed) return
      if (killed.engine === 'server') {
        const [info] = await killed.run([['info', 'server']], false)
        const pid = Number(/process_id:(\d+)/.exec(info && 'reply' in info ? String(info.reply) : '')?.[1])
        process.kill(pid, 'SIGKILL')
        await killed.lost
      }
      backend = null
      await killed.stop()
    },
    async start() {
      await rm(dir, { recursive: true, force: true })
      backend = await start()
    },
  }
}

async function runQStash(dir: string, stops: Stops) {
  const port = await freePort()
  const control = qstashControl(`http://127.0.0.1:${port}`)
  let running: Launched | null = null
  const start = async () => {
    const program = join(import.meta.dirname, 'qstash-process.ts')
    const started = launch(process.execPath, [program, dir, String(port)], {
      stdio: 'ignore',
      lastSignal: 'KILL',
    })
    running = started
    for (const until = Date.now() + START_MS; started.isAlive() && Date.now() < until; await sleep(20)) {
      if (await control.clock().catch(() => null)) return
    }
    throw new Error('QStash does not start')
  }
  const kill = async () => {
    await running?.end('SIGKILL', KILL_MS)
    running = null
  }
  stops.push(kill)
  await start()
  return { ...control, port, start, kill }
}

async function runProviders(dir: string, baseUrl: string, stops: Stops) {
  await mkdir(join(dir, 'identity'))
  const start = async () => ({
    identity: await startIdentity({
      dir: join(dir, 'identity'),
      redirectUris: [`${baseUrl}/api/v1/auth/callback`],
      say: () => undefined,
    }),
    kyc: await startKyc({ dir: join(dir, 'kyc'), webhookUrl: `${baseUrl}/internal/kyc/stripe` }),
  })
  let running: Awaited<ReturnType<typeof start>> | null = await start()
  const { identity, kyc } = running
  const kill = async () => {
    await Promise.all([running?.identity.stop(), running?.kyc.stop()])
    running = null
  }
  stops.push(kill)
  return {
    mailboxUrl: identity.mailboxUrl,
    vars: {
      OIDC_ISSUER: identity.issuer,
      OIDC_CLIENT_ID: identity.clientId,
      OIDC_CLIENT_SECRET: identity.clientSecret,
      STRIPE_API_URL: kyc.url,
      STRIPE_SECRET_KEY: kyc.secretKey,
      STRIPE_WEBHOOK_SECRET: kyc.webhookSecret,
    },
    kill,
    async start() {
      running = await start()
    },
  }
}
