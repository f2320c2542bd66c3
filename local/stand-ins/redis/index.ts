import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'
import { fromFetch, serve } from '../serve.ts'
import { FAIL_FAST, quiet, ready, throughConnection } from './connection.ts'
import { startMock } from './mock.ts'
import { type Backend, upstashRest } from './rest.ts'
import { startServer } from './server.ts'

export interface LocalRedis {
  url: string
  token: string
  engine: Backend['engine']
  lost: Promise<string>
  stop(): Promise<void>
}

/**
 * Starts the stand-in for Upstash Redis: its REST protocol in front of a Redis.
 *
 * @param options.dir the data folder of redis-server, an absolute path; created if missing
 * @param options.say receives messages for the user
 * @param options.engine `auto`: the server at `REDIS_URL`, else redis-server from PATH, else the embedded
 *   Redis; `server` and `mock` require one of the last two
 * @returns the REST URL, its bearer token, the engine, and a function that stops it
 */
export async function startRedis(options: {
  dir: string
  say?: (line: string) => void
  engine?: 'auto' | 'server' | 'mock'
}): Promise<LocalRedis> {
  const { dir, say = () => {}, engine = 'auto' } = options
  const backend = await startBackend(dir, say, engine)
  const token = randomBytes(32).toString('hex')
  const served = await serve('redis', fromFetch(upstashRest(backend.run, token)))
  const stop = async () => {
    await served.stop()
    await backend.stop()
  }
  return { url: served.url, token, engine: backend.engine, lost: backend.lost, stop }
}

/** Whether a `redis-server` can be started from PATH. */
export function redisServerOnPath(): boolean {
  return spawnSync('redis-server', ['--version']).status === 0
}

async function startBackend(dir: string, say: (line: string) => void, engine: string): Promise<Backend> {
  if (engine === 'mock') return startMock()
  if (engine === 'server') return startServer(dir)
  if (process.env.REDIS_URL) return connectTo(process.env.REDIS_URL)
  const missing = () => Promise.reject(new Error('redis-server is not on PATH'))
  const server = redisServerOnPath() ? startServer(dir) : missing()
  return server.catch((error: Error) => {
    say(`${error.message}: using the embedded Redis, which loses its counters when it stops`)
    return startMock()
  })
}

async function connectTo(url: string): Promise<Backend> {
  const client = quiet(new Redis(url, FAIL_FAST))
  await ready(client, 'the Redis at REDIS_URL does not respond').catch((error) => {
    client.disconnect()
    throw error
  })
  const stop = async () => client.disconnect()
  return { engine: 'url', run: throughConnection(client), lost: new Promise(() => {}), stop }
}
