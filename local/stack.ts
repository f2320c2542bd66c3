import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { migrateDatabase } from '../scripts/migrate.ts'
import { messageOf } from '../scripts/support/message.ts'
import { STACK_FILE, type StackFile } from '../scripts/support/stack-file.ts'
import { makeFolder, writeAtomically } from './file.ts'
import { claimFolder } from './lock.ts'
import { requireFreePort } from './port.ts'
import { startPostgres } from './postgres/index.ts'
import { keepSecrets, keysOf } from './secrets.ts'
import { givenQStash, type QStashAccess } from './settings.ts'
import { startIdentity } from './stand-ins/identity/index.ts'
import { startKyc } from './stand-ins/kyc/index.ts'
import { startMail } from './stand-ins/mail/index.ts'
import { startNeon } from './stand-ins/neon/index.ts'
import { type QStash, startQStash } from './stand-ins/qstash/index.ts'
import { startRedis } from './stand-ins/redis/index.ts'
import { startWeb } from './stand-ins/web/index.ts'
import { startWitness } from './stand-ins/witness/index.ts'
import { LOG_FILE, startWorker, type Worker, type WorkerOptions } from './worker.ts'

export interface Stack extends StackFile {
  worker: Worker
  /** Starts the Worker again after `worker.kill()`. */
  restartWorker(): Promise<void>
  /** Resolves with a message if a part exits on its own; the others continue to run. */
  lost: Promise<string>
  stop(): Promise<void>
}

interface Options {
  dir: string
  port: number
  fresh?: boolean | undefined
  timeScale: number
  /** How long the Worker waits; by default as in production. */
  waits?: Waits
  say: (line: string) => void
  signal?: AbortSignal
  /** Starts the Worker; default: `wrangler dev`. */
  runWorker?: (options: WorkerOptions) => Promise<Worker>
}

/** Settings of the Worker that a busy machine may have to raise. */
export type Waits = Partial<Record<'REDIS_TIMEOUT_MS' | 'REQUEST_DEADLINE_MS', string>>

interface Part {
  lost?: Promise<string>
  stop(): Promise<void>
}

const MAIL_FROM = 'Agent Registry <registry@localhost.example>'
// PostgreSQL removes its own data, which may be elsewhere.
const REMOVED_BY_FRESH = [
  'redis',
  'qstash',
  'identity',
  'kyc',
  'mail',
  'web',
  'witness',
  'wrangler',
  'secrets.json',
]

/**
 * Starts every part of the service on this machine, migrates the database, and writes `stack.json`.
 *
 * @param dir the data folder: databases, messages and secrets, kept between starts
 * @param port the Worker's port; the other parts use free ports
 * @param fresh starts with an empty folder
 * @param timeScale factor for the delays of QStash
 * @param signal aborts the start and stops the parts that are already running
 * @throws Error that states the cause: a running stack, a taken port, or a part that fails
 */
export async function startStack(options: Options): Promise<Stack> {
  const { port, fresh = false, timeScale, waits, say, signal, runWorker = startWorker } = options
  const dir = makeFolder(options.dir)
  const release = claimFolder(dir)
  const at = (name: string) => join(dir, name)
  const { promise: lost, resolve: lose } = Promise.withResolvers<string>()
  const stops: (() => Promise<void>)[] = [async () => release()]
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= stopAll()
    return stopped
  }
  const stopAll = async () => {
    rmSync(at(STACK_FILE), { force: true })
    for (const end of stops.reverse()) await end().catch((error) => say(`stopping: ${messageOf(error)}`))
  }
  const started = async <P extends Part>(name: string, part: Promise<P>) => {
    const begun = Date.now()
    const running = await part
    stops.push(() => running.stop())
    void running.lost?.then(lose)
    say(`  ${name.padEnd(18)} ${((Date.now() - begun) / 1000).toFixed(1)} s`)
    return running
  }
  try {
    await requireFreePort(port)
    if (fresh) for (const name of REMOVED_BY_FRESH) rmSync(at(name), { recursive: true, force: true })
    rmSync(at(LOG_FILE), { force: true })
    const secrets = await keepSecrets(dir)
    const baseUrl = `http://localhost:${port}`
    const redirectUris = [`${baseUrl}/api/v1/auth/callback`]
    const given = givenQStash()
    const signIns = started('identity provider', startIdentity({ dir: at('identity'), redirectUris, say }))
    const startedMail = async () => startMail({ dir: at('mail'), deliver: (await signIns).deliver })
    const [postgres, neon, redis, qstash, identity, mail, kyc, web, witness] = await allOrFirstError([
      started('PostgreSQL', startPostgres({ dir: at('postgres'), fresh, say })),
      started('Neon endpoint', startNeon()),
      started('Redis', startRedis({ dir: at('redis'), say })),
      given ?? started('QStash', startQStash({ dir: at('qstash'), say, timeScale })).then(toAccess),
      signIns,
      started('mail provider', startedMail()),
      started('identity checks', startKyc({ dir: at('kyc'), webhookUrl: `${baseUrl}/internal/kyc/stripe` })),
      started('DNS and websites', startWeb({ dir: at('web') })),
      started('witness', startWitness({ dir: at('witness'), logs: [secrets.log_vkey] })),
    ])
    signal?.throwIfAborted()
    const workerDatabase = await migrateDatabase(postgres.url, secrets.worker_password)
    say('  database           migrated')
    signal?.throwIfAborted()
    const vars = {
      BASE_URL: baseUrl,
      DATABASE_URL: workerDatabase,
      NEON_SQL_URL: neon.url,
      UPSTASH_REDIS_REST_URL: redis.url,
      UPSTASH_REDIS_REST_TOKEN: redis.token,
      ...waits,
      ...qstash,
      OIDC_ISSUER: identity.issuer,
      OIDC_CLIENT_ID: identity.clientId,
      OIDC_CLIENT_SECRET: identity.clientSecret,
      STRIPE_API_URL: kyc.url,
      STRIPE_SECRET_KEY: kyc.restrictedKey,
      STRIPE_WEBHOOK_SECRET: kyc.webhookSecret,
      MAIL_API_URL: mail.url,
      MAIL_API_KEY: mail.apiKey,
      MAIL_FROM,
      MAIL_WEBHOOK_SECRET: mail.webhookSecret,
      DOH_URL: web.dohUrl,
      WELL_KNOWN_BASE_URL: web.filesUrl,
      LOG_WITNESSES: witness.policyLine,
      ALLOW_TEST_CLOCK: 'true',
      ALLOW_LOCAL_WEBHOOKS: 'true',
    }
    const run = () => runWorker({ dir, port, vars: { ...vars, ...keysOf(dir) }, ...(signal && { signal }) })
    const file: StackFile = {
      base_url: baseUrl,
      database_url: postgres.url,
      neon_sql_url: neon.url,
      redis_rest_url: redis.url,
      redis_rest_token: redis.token,
      qstash_url: vars.QSTASH_URL,
      identity_url: identity.issuer,
      mailbox_url: identity.mailboxUrl,
      mail_url: mail.url,
      kyc_url: kyc.url,
      web_stand_in_url: web.url,
      witness_url: witness.url,
      pid: process.pid,
    }
    const stack: Stack = {
      ...file,
      worker: await started('Worker', run()),
      restartWorker: async () => {
        stack.worker = await run()
        void stack.worker.lost.then(lose)
      },
      lost,
      stop,
    }
    stops.pop()
    stops.push(() => stack.worker.stop())
    writeAtomically(at(STACK_FILE), `${JSON.stringify(file, null, 2)}\n`)
    return stack
  } catch (error) {
    await stop()
    throw error
  }
}

function toAccess(qstash: QStash): QStashAccess {
  return {
    QSTASH_URL: qstash.url,
    QSTASH_TOKEN: qstash.token,
    QSTASH_CURRENT_SIGNING_KEY: qstash.currentSigningKey,
    QSTASH_NEXT_SIGNING_KEY: qstash.nextSigningKey,
  }
}

/** Like Promise.all, but waits for all: a part that starts after another has failed must be stopped too. */
async function allOrFirstError<T extends readonly unknown[]>(parts: T) {
  const results = await Promise.allSettled(parts)
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
  return Promise.all(parts)
}
