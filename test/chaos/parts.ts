import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../local/port.ts'
import { type Postgres, startPostgres } from '../../local/postgres/index.ts'
import { type Launched, launch } from '../../local/process.ts'
import { startIdentity } from '../../local/stand-ins/identity/index.ts'
import { startKyc } from '../../local/stand-ins/kyc/index.ts'
import { redisServerOnPath } from '../../local/stand-ins/redis/index.ts'
import { startMock } from '../../local/stand-ins/redis/mock.ts'
import { type Backend, upstashRest } from '../../local/stand-ins/redis/rest.ts'
import { startServer } from '../../local/stand-ins/redis/server.ts'
import { fromFetch, serve } from '../../local/stand-ins/serve.ts'

const START_MS = 60_000
const KILL_MS = 5_000

/** Functions that stop what was started, called in reverse order. */
export type Stops = (() => unknown)[]

/** A part that can be killed as by a crash, and started again. */
export interface Part {
  kill(): Promise<void>
  start(): Promise<void>
}

/** PostgreSQL, on another port after each start. */
export async function runPostgres(dir: string, stops: Stops) {
  let running: Postgres | null = null
  const start = async () => {
    await running?.stop()
    const started = await startPostgres({ dir })
    running = started
    void started.lost.then(() => {
      if (running === started) running = null
    })
    return started
  }
  let { url } = await start()
  stops.push(() => running?.stop())
  return {
    url: () => url,
    /** Null while it is down. */
    address: () => running?.url ?? null,
    async kill() {
      const killed = running
      running = null
      if (killed?.pid) process.kill(killed.pid, 'SIGKILL')
      await killed?.lost
    },
    async start() {
      url = (await start()).url
    },
  }
}

/** Redis behind a REST endpoint that keeps running; `start` starts an empty one. */
export async function runRedis(dir: string, token: string, stops: Stops) {
  const start = () => (redisServerOnPath() ? startServer(dir) : startMock())
  let backend: Backend | null = await start()
  const run: Backend['run'] = (commands, atomic) =>
    backend ? backend.run(commands, atomic) : Promise.reject(new Error('no Redis'))
  const served = await serve('redis', fromFetch(upstashRest(run, token)))
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

/** QStash in a separate process, with its data on disk. */
export async function runQStash(dir: string, stops: Stops) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let running: Launched | null = null
  const start = async () => {
    const program = join(import.meta.dirname, 'qstash-process.ts')
    const started = launch(process.execPath, [program, dir, String(port)], {
      stdio: 'ignore',
      lastSignal: 'KILL',
    })
    running = started
    for (const until = Date.now() + START_MS; started.isAlive() && Date.now() < until; await sleep(20)) {
      if (await fetch(`${url}/-/clock`).catch(() => null)) return
    }
    throw new Error('QStash does not start')
  }
  const kill = async () => {
    await running?.end('SIGKILL', KILL_MS)
    running = null
  }
  stops.push(kill)
  await start()
  return { url, start, kill }
}

/** Identity provider and KYC provider, at the same addresses after each start. */
export async function runProviders(dir: string, baseUrl: string, stops: Stops) {
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
      STRIPE_SECRET_KEY: kyc.restrictedKey,
      STRIPE_WEBHOOK_SECRET: kyc.webhookSecret,
    },
    kill,
    async start() {
      running = await start()
    },
  }
}
