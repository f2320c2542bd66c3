import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { startIdentity } from './identity/index.ts'
import { claimFolder } from './lock.ts'
import { migrateDatabase } from './migrate.ts'
import { startNeon } from './neon.ts'
import { startPostgres } from './postgres.ts'
import { startQStash } from './qstash/index.ts'
import { startRedis } from './redis.ts'
import { keepSecrets } from './secrets.ts'
import type { StackFile } from './stack-file.ts'
import { startWorker, type Worker } from './worker.ts'

export interface Stack extends StackFile {
  worker: Worker
  /** Starts the Worker again after `worker.kill()`. */
  restartWorker(): Promise<void>
  stop(): Promise<void>
}

interface Options {
  dir: string
  port: number
  fresh?: boolean
  timeScale?: number
  say: (line: string) => void
}

const REDIS_TIMEOUT_MS = '2000' // a laptop under load is no reason to let requests pass uncounted

/**
 * Starts every part of the service on this machine, migrates the database, and writes `stack.json`.
 *
 * @param dir the data folder: databases, messages and secrets, kept between starts
 * @param port the Worker's port; all others are free ones
 * @param fresh whether to begin with an empty folder
 * @param timeScale what QStash multiplies its waits by
 * @throws Error that says what is in the way: a running stack, a taken port, a part that fails
 */
export async function startStack({ dir: folder, port, fresh, timeScale = 1, say }: Options): Promise<Stack> {
  const dir = resolve(folder)
  mkdirSync(dir, { recursive: true })
  const release = claimFolder(dir)
  const stops: (() => Promise<void>)[] = [async () => release()]
  const stop = async () => {
    rmSync(join(dir, 'stack.json'), { force: true })
    for (const end of stops.splice(0).reverse()) await end().catch((error) => say(`stopping: ${error}`))
  }
  const started = async <Part extends { stop(): Promise<void> }>(name: string, part: Promise<Part>) => {
    const begun = Date.now()
    const running = await part
    stops.push(() => running.stop())
    say(`  ${name.padEnd(18)} ${((Date.now() - begun) / 1000).toFixed(1)} s`)
    return running
  }
  try {
    await requireFreePort(port)
    if (fresh) for (const part of PARTS) rmSync(join(dir, part), { recursive: true, force: true })
    const at = (part: string) => {
      mkdirSync(join(dir, part), { recursive: true })
      return join(dir, part)
    }
    const secrets = keepSecrets(dir)
    const baseUrl = `http://localhost:${port}`
    const [postgres, neon, redis, qstash, identity] = await Promise.all([
      started('PostgreSQL', startPostgres({ dir: at('postgres'), fresh: fresh ?? false, say })),
      started('Neon endpoint', startNeon()),
      started('Redis', startRedis({ dir: at('redis'), say })),
      started('QStash', startQStash({ dir: at('qstash'), say, timeScale })),
      started(
        'identity provider',
        startIdentity({ dir: at('identity'), redirectUris: [`${baseUrl}/api/v1/auth/callback`], say }),
      ),
    ])
    const workerDatabase = await migrateDatabase(postgres.url, secrets.worker_password)
    say('  database           migrated')
    const vars = {
      BASE_URL: baseUrl,
      DATABASE_URL: workerDatabase,
      NEON_SQL_URL: neon.url,
      UPSTASH_REDIS_REST_URL: redis.url,
      UPSTASH_REDIS_REST_TOKEN: redis.token,
      REDIS_TIMEOUT_MS,
      QSTASH_URL: process.env.QSTASH_URL ?? qstash.url,
      QSTASH_TOKEN: process.env.QSTASH_TOKEN ?? qstash.token,
      QSTASH_CURRENT_SIGNING_KEY: process.env.QSTASH_CURRENT_SIGNING_KEY ?? qstash.currentSigningKey,
      QSTASH_NEXT_SIGNING_KEY: process.env.QSTASH_NEXT_SIGNING_KEY ?? qstash.nextSigningKey,
      OIDC_ISSUER: identity.issuer,
      OIDC_CLIENT_ID: identity.clientId,
      OIDC_CLIENT_SECRET: identity.clientSecret,
      SECRETS_KEY: secrets.secrets_key,
      ALLOW_TEST_CLOCK: 'true',
      ALLOW_LOCAL_WEBHOOKS: 'true',
    }
    const run = () => startWorker({ dir, port, vars })
    const stack: Stack = {
      base_url: baseUrl,
      database_url: postgres.url,
      neon_sql_url: neon.url,
      redis_rest_url: redis.url,
      redis_rest_token: redis.token,
      qstash_url: vars.QSTASH_URL,
      identity_url: identity.issuer,
      mailbox_url: identity.mailboxUrl,
      pid: process.pid,
      worker: await started('Worker', run()),
      restartWorker: async () => {
        stack.worker = await run()
      },
      stop,
    }
    stops.pop()
    stops.push(() => stack.worker.stop())
    const { worker, restartWorker, stop: _, ...file } = stack
    writeFileSync(join(dir, 'stack.json'), `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 })
    return stack
  } catch (error) {
    await stop()
    throw error
  }
}

const PARTS = ['postgres', 'redis', 'qstash', 'identity', 'wrangler', 'secrets.json', 'worker.log']

function requireFreePort(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', () =>
      reject(new Error(`port ${port} is taken; choose another: PORT=8788 npm run dev`)),
    )
    probe.listen(port, 'localhost', () => probe.close(() => resolve()))
  })
}
