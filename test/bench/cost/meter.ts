import { setTimeout as sleep } from 'node:timers/promises'
import { parsePayload } from '../../../local/stand-ins/neon/wire.ts'
import type { Harness } from '../../support/harness.ts'
import { type Piece, type StartedProxy, startProxy } from '../../support/proxy.ts'
import { askRedis } from '../../support/redis.ts'
import type { TestStack } from '../../support/stack.ts'
import { settingsOf } from '../../support/worker-settings.ts'
import { type BareWorker, bundleWorker, startBare } from '../../support/workerd.ts'
import { processorMsOf } from '../requests/cpu.ts'
import type { Usage } from './prices.ts'

/** After this time without requests to any part, background work has ended. */
const QUIET_MS = 300
/** The same after requests with keys, whose usage is written 5 s later. */
export const QUIET_AFTER_KEYS_MS = 5_500
const POLL_MS = 25
/** The part of Redis' own counts that the stand-in and this meter cause. */
const NOT_SENT = ['info', 'multi', 'exec', 'hello', 'client', 'select', 'config']

/** The number of requests to the Worker, and the bytes of their responses. */
export interface Work {
  requests: number
  bytes: number
}

export interface Meter {
  /** The usage of some work, including its background work. */
  measure(work: () => Promise<Work>, quietMs?: number): Promise<Usage>
  stop(): Promise<void>
}

/**
 * Runs the Worker of a stack as it is deployed, with a proxy in front of each part that counts its requests.
 *
 * @param stack not used by anything else; its own Worker is stopped
 * @throws Error without redis-server, which counts the commands of scripts, or without /proc
 */
export async function startMeter(stack: TestStack, h: Harness): Promise<Meter> {
  const counted = { statements: 0, postgres_bytes: 0, qstash_messages: 0 }
  let requested = Date.now()
  const proxies: StartedProxy[] = []
  const before = async (target: string, hear: (piece: Piece) => void, bytes = (_: number) => {}) => {
    const proxy = await startProxy(target, {
      before: (piece) => {
        requested = Date.now()
        hear(piece)
        return undefined
      },
      after: (_, length) => {
        requested = Date.now()
        bytes(length)
        return undefined
      },
    })
    proxies.push(proxy)
    return proxy.url
  }
  const settings = settingsOf(stack.dir)
  const changed = {
    NEON_SQL_URL: await before(
      stack.neon_sql_url,
      ({ body }) => {
        const payload = parsePayload(body)
        counted.statements += 'queries' in payload ? payload.queries.length : 1
      },
      (length) => {
        counted.postgres_bytes += length
      },
    ),
    UPSTASH_REDIS_REST_URL: await before(stack.redis_rest_url, () => {}),
    QSTASH_URL: await before(stack.qstash_url, ({ path, body }) => {
      if (path.endsWith('/batch')) counted.qstash_messages += JSON.parse(body).length
      else if (path.includes('/publish/')) counted.qstash_messages += 1
    }),
  }
  const bundle = await bundleWorker(stack.dir)
  await stack.worker.kill()
  const port = Number(new URL(stack.base_url).port)
  const worker = await startBare(bundle, { ...settings, ...changed }, { port })

  const quiet = async (ms: number) => {
    requested = Date.now()
    while (Date.now() - requested < ms) await sleep(POLL_MS)
  }
  const look = async () => ({
    ...counted,
    redis_commands: await redisCommands(stack),
    worker_ms: workerMs(worker),
    postgres: await postgresTimes(h),
  })
  return {
    async measure(work, quietMs = QUIET_MS) {
      await quiet(quietMs)
      const from = await look()
      const { requests, bytes } = await work()
      await quiet(quietMs)
      const to = await look()
      return {
        worker_requests: requests,
        worker_ms: to.worker_ms - from.worker_ms,
        statements: to.statements - from.statements,
        postgres_ms: spent(from.postgres, to.postgres),
        postgres_bytes: to.postgres_bytes - from.postgres_bytes,
        redis_commands: to.redis_commands - from.redis_commands,
        qstash_messages: to.qstash_messages - from.qstash_messages,
        bytes_out: bytes,
      }
    },
    async stop() {
      await worker.kill()
      for (const proxy of proxies) await proxy.stop()
    },
  }
}

function workerMs({ pid }: BareWorker): number {
  const ms = processorMsOf(pid)
  if (Number.isNaN(ms)) throw new Error('CPU time of a process can only be read where there is /proc')
  return ms
}

async function postgresTimes({ sql }: Harness): Promise<Map<number, number>> {
  const rows = await sql('select pid from pg_stat_activity where pid <> pg_backend_pid()')
  return new Map(rows.map(({ pid }) => [pid, processorMsOf(pid)]))
}

/** The CPU time of the processes that are still running; one that ended in between served another test. */
function spent(from: Map<number, number>, to: Map<number, number>): number {
  return [...to].reduce((sum, [pid, ms]) => sum + ms - (from.get(pid) ?? 0), 0)
}

/** The number of commands that Redis has run, including those of scripts. */
async function redisCommands(stack: TestStack): Promise<number> {
  const stats = String(await askRedis(stack, 'INFO', 'commandstats'))
  const counts = [...stats.matchAll(/^cmdstat_([\w|]+):calls=(\d+)/gm)]
  if (counts.length === 0) throw new Error('needs redis-server, which counts what scripts do')
  return counts.reduce(
    (sum, [, name = '', calls]) => sum + (NOT_SENT.some((one) => name.startsWith(one)) ? 0 : Number(calls)),
    0,
  )
}
