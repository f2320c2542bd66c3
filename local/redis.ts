import { spawn, spawnSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { Redis, type RedisOptions } from 'ioredis'
import { fromFetch, serve } from './serve.ts'
import { type Command, type Engine, type Outcome, upstashRest } from './upstash.ts'

const START_MS = 10_000

// A request must fail at once while Redis is away: the Worker waits 150 ms for it and then goes on.
const FAIL_FAST: RedisOptions = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  retryStrategy: (attempt) => Math.min(attempt * 20, 1000),
}

interface Backend {
  engine: 'server' | 'mock' | 'url'
  run: Engine
  stop(): Promise<void>
}

export interface LocalRedis {
  url: string
  token: string
  engine: Backend['engine']
  stop(): Promise<void>
}

/**
 * Starts an Upstash Redis look-alike: the REST protocol in front of a Redis.
 *
 * @param options.dir a folder of its own for the data of redis-server; made when missing
 * @param options.say receives lines for the person at the terminal
 * @param options.engine `auto`: the server at `REDIS_URL`, else a redis-server from PATH, else the embedded
 *   one; `server` and `mock` insist on one of the last two
 * @returns the REST URL, its bearer token, what answers behind it, and how to stop it
 */
export async function startRedis(options: {
  dir: string
  say?: (line: string) => void
  engine?: 'auto' | 'server' | 'mock'
}): Promise<LocalRedis> {
  const { dir, say = () => {}, engine = 'auto' } = options
  const backend = await startBackend(resolve(dir), say, engine)
  const token = randomBytes(32).toString('hex')
  const served = await serve('redis', fromFetch(upstashRest(backend.run, token)))
  const stop = async () => {
    await served.stop()
    await backend.stop()
  }
  return { url: served.url, token, engine: backend.engine, stop }
}

/** Whether a `redis-server` can be started from PATH. */
export function redisServerOnPath(): boolean {
  return spawnSync('redis-server', ['--version']).status === 0
}

async function startBackend(dir: string, say: (line: string) => void, engine: string): Promise<Backend> {
  if (engine === 'mock') return startMock()
  if (engine === 'server') return startServer(dir, say)
  if (process.env.REDIS_URL) return connectTo(process.env.REDIS_URL)
  const missing = () => Promise.reject(new Error('redis-server is not on PATH'))
  const server = redisServerOnPath() ? startServer(dir, say) : missing()
  return server.catch((error: Error) => {
    say(`${error.message}: the embedded Redis is used, which forgets its counters at the end`)
    return startMock()
  })
}

async function connectTo(url: string): Promise<Backend> {
  const client = quiet(new Redis(url, FAIL_FAST))
  await ready(client, 'the Redis at REDIS_URL does not answer').catch((error) => {
    client.disconnect()
    throw error
  })
  return { engine: 'url', run: throughConnection(client), stop: async () => client.disconnect() }
}

async function startServer(dir: string, say: (line: string) => void): Promise<Backend> {
  await mkdir(dir, { recursive: true })
  const absolute = join(dir, 'redis.sock')
  // The path of a Unix socket may have about 100 bytes only.
  const path = [relative('', absolute), absolute].sort((a, b) => a.length - b.length)[0] ?? absolute
  await endOrphan(path)

  const settings = ['--dir', dir, '--logfile', 'redis.log', '--appendonly', 'yes', '--save', '']
  const listen = ['--port', '0', '--unixsocket', 'redis.sock', '--unixsocketperm', '700']
  // Detached, so that Ctrl-C does not stop the server while the Worker still answers its last requests.
  const child = spawn('redis-server', [...settings, ...listen], { detached: true, stdio: 'ignore' })
  // When this process dies, by kill -9 too, the pipe closes and the server goes with it.
  const guard = spawn('sh', ['-c', `cat; kill ${child.pid}`], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  }).on('error', () => {})
  const client = quiet(new Redis({ ...FAIL_FAST, path }))
  const ended = once(child, 'exit')
    .catch(() => {})
    .then(() => {
      guard.kill()
      client.disconnect()
    })
  const stop = async () => {
    child.kill()
    await ended
  }
  await ready(client, `redis-server does not start, see ${dir}/redis.log`, ended).catch(async (error) => {
    await stop()
    throw error
  })
  let stopping = false
  ended.then(() => {
    if (!stopping) say('redis-server has ended: requests are not counted until the next start')
  })
  return {
    engine: 'server',
    run: throughConnection(client),
    stop: () => {
      stopping = true
      return stop()
    },
  }
}

/** A server that outlived its stack still holds the data files. */
async function endOrphan(path: string): Promise<void> {
  const client = quiet(new Redis({ path, lazyConnect: true, retryStrategy: () => null }))
  await client
    .connect()
    .then(() => client.shutdown())
    .catch(() => {})
  client.disconnect()
}

// Without a listener ioredis prints every failed attempt.
function quiet(client: Redis): Redis {
  return client.on('error', () => {})
}

async function ready(client: Redis, failure: string, ended?: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  await new Promise<void>((done, fail) => {
    const giveUp = () => fail(new Error(failure))
    client.once('ready', done)
    ended?.then(giveUp)
    timer = setTimeout(giveUp, START_MS)
  }).finally(() => clearTimeout(timer))
}

function throughConnection(client: Redis): Engine {
  return async (commands, atomic) => {
    const pipeline = client.pipeline()
    if (atomic) pipeline.callBuffer('multi')
    for (const [name = '', ...args] of commands) pipeline.callBuffer(name, ...args)
    if (atomic) pipeline.callBuffer('exec')
    const results = (await pipeline.exec()) ?? []
    if (!atomic) return results.map(([error, reply]) => toOutcome(error ?? reply))
    const [error, replies] = results.at(-1) ?? []
    if (error || !Array.isArray(replies)) throw error ?? new Error('EXEC gave no replies')
    return replies.map(toOutcome)
  }
}

function toOutcome(reply: unknown): Outcome {
  if (!(reply instanceof Error)) return { reply }
  if (reply.name !== 'ReplyError') throw reply
  return { error: reply.message }
}

async function startMock(): Promise<Backend> {
  const { default: RedisMock } = await import('ioredis-mock')
  // Instances with the same host share their data.
  const mock = new RedisMock({ host: randomUUID() })
  let last: Promise<unknown> = Promise.resolve()
  const inTurn: Engine = (commands) => {
    const outcomes = last.then(async () => {
      const list: Outcome[] = []
      for (const command of commands) list.push(await callMock(mock, command))
      return list
    })
    last = outcomes
    return outcomes
  }
  return { engine: 'mock', run: inTurn, stop: async () => mock.disconnect() }
}

async function callMock(mock: object, [name = '', ...args]: Command): Promise<Outcome> {
  const method: unknown = Reflect.get(mock, `${name.toLowerCase()}Buffer`)
  if (typeof method !== 'function') return { error: `ERR unknown command '${name}'` }
  // The mock knows the options of SET in capitals only.
  const sent = /^set$/i.test(name) ? args.map((arg, i) => (i < 2 ? arg : arg.toUpperCase())) : args
  try {
    return { reply: fromMock(await method.apply(mock, sent)) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { error: /^[A-Z]+ /.test(message) ? message : `ERR ${message}` }
  }
}

/** Lua's booleans and fractions, as Redis would answer them. */
function fromMock(reply: unknown): unknown {
  if (Array.isArray(reply)) return reply.map(fromMock)
  if (typeof reply === 'boolean') return reply ? 1 : null
  if (typeof reply === 'number') return Math.trunc(reply)
  return reply
}
