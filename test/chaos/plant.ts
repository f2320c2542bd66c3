import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { keepSecrets, keysOf } from '../../local/secrets.ts'
import { startNeon } from '../../local/stand-ins/neon/index.ts'
import { SIGNING_KEYS, TOKEN } from '../../local/stand-ins/qstash/sign.ts'
import { writeSettings } from '../../local/worker.ts'
import { migrateDatabase } from '../../scripts/migrate.ts'
import { connect } from '../support/harness.ts'
import { startProxy } from '../support/proxy.ts'
import { startReceiver } from '../support/receiver.ts'
import { type BareWorker, type Bundle, startBare } from '../support/workerd.ts'
import { runPostgres, runProviders, runQStash, runRedis, type Stops } from './parts.ts'

const STOP_MS = 40_000
const REDIS_TOKEN = 'redis-token'
const REDIS_TIMEOUT_MS = '150' // as in production

delete process.env.DATABASE_URL // the tests must not kill an external server

type Mount = (dir: string) => () => void

/** The complete service: each part is a process or stand-in that can be killed, behind a proxy. */
export type Plant = Awaited<ReturnType<typeof startPlant>>

/**
 * Starts everything in a new folder, which is removed at the end.
 *
 * @param mount mounts something at the data folder of the database; returns a function that undoes it
 */
export async function startPlant(bundle: Bundle, mount?: Mount) {
  const dir = await mkdtemp(join(tmpdir(), 'registry-chaos-'))
  const stops: Stops = [() => rm(dir, { recursive: true, force: true })]
  const stopAll = async () => {
    for (const end of stops.splice(0).reverse()) await Promise.resolve().then(end).catch(complain)
  }
  const stop = async () => {
    const done = new AbortController()
    await Promise.race([stopAll(), sleep(STOP_MS, undefined, { signal: done.signal })])
    done.abort()
  }
  try {
    await chmod(dir, 0o711) // if run as root, the database runs as another user
    return { ...(await build(dir, bundle, stops, mount)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const complain = (error: unknown) => console.error(`stopping: ${error}`)

async function build(dir: string, bundle: Bundle, stops: Stops, mount?: Mount) {
  const at = (name: string) => join(dir, name)
  const link = async (...of: Parameters<typeof startProxy>) => {
    const made = await startProxy(...of)
    stops.push(made.stop)
    return made
  }
  const secrets = await keepSecrets(dir)
  if (mount) stops.push(mount(at('postgres')))

  const postgres = await runPostgres(at('postgres'), stops)
  const toPostgres = await link(() => postgres.address())
  const through = (url: string, port: number) => Object.assign(new URL(url), { port }).href
  const workerDatabase = await migrateDatabase(postgres.url(), secrets.worker_password)
  const neon = await startNeon()
  const redis = await runRedis(at('redis'), REDIS_TOKEN, stops)
  const receiver = await startReceiver()
  stops.push(neon.stop, receiver.stop)

  let worker: BareWorker | null = null
  const front = await link(() => worker?.url ?? null, {}, { host: 'localhost' })
  const baseUrl = `http://localhost:${front.port}`
  const qstash = await runQStash(at('qstash'), stops)
  const links = {
    front,
    postgres: toPostgres,
    neon: await link(neon.url),
    redis: await link(redis.url),
    qstash: await link(qstash.url),
    receiver: await link(receiver.url),
  }
  const providers = await runProviders(dir, baseUrl, stops)
  const vars = {
    BASE_URL: baseUrl,
    DATABASE_URL: through(workerDatabase, toPostgres.port),
    NEON_SQL_URL: links.neon.url,
    UPSTASH_REDIS_REST_URL: links.redis.url,
    UPSTASH_REDIS_REST_TOKEN: REDIS_TOKEN,
    REDIS_TIMEOUT_MS,
    QSTASH_URL: links.qstash.url,
    QSTASH_TOKEN: TOKEN,
    QSTASH_CURRENT_SIGNING_KEY: SIGNING_KEYS.current,
    QSTASH_NEXT_SIGNING_KEY: SIGNING_KEYS.next,
    ...providers.vars,
    ...keysOf(dir),
    ALLOW_TEST_CLOCK: 'true',
    ALLOW_LOCAL_WEBHOOKS: 'true',
  }
  writeSettings(dir, vars)
  const startWorker = async () => {
    worker = await startBare(bundle, vars)
  }
  await startWorker()
  stops.push(() => worker?.kill())

  const own = await link(() => postgres.address()) // of the test: without faults, at the same address after each start
  const h = connect(dir, {
    base_url: baseUrl,
    database_url: through(postgres.url(), own.port),
    neon_sql_url: neon.url,
    redis_rest_url: redis.url,
    redis_rest_token: REDIS_TOKEN,
    qstash_url: qstash.url,
    identity_url: providers.vars.OIDC_ISSUER,
    mailbox_url: providers.mailboxUrl,
    mail_url: '',
    kyc_url: providers.vars.STRIPE_API_URL,
    web_stand_in_url: '',
    witness_url: '',
    pid: process.pid,
  })
  stops.push(h.end)
  return {
    ...h,
    webhookUrl: links.receiver.url,
    receiver,
    links,
    postgres,
    /** Starts empty again. */
    redis,
    qstash: { ...h.qstash, kill: qstash.kill, start: qstash.start },
    /** Identity provider and KYC provider. */
    providers,
    worker: {
      start: startWorker,
      pid: () => worker?.pid ?? null,
      async kill() {
        const dying = worker
        worker = null
        await dying?.kill()
      },
    },
  }
}
