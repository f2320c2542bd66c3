import { mkdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { Redis } from 'ioredis'
import { launch } from '../../process.ts'
import { FAIL_FAST, quiet, ready, throughConnection } from './connection.ts'
import type { Backend } from './rest.ts'

const SHUTDOWN_MS = 10_000

/**
 * Starts redis-server on a Unix socket; its data survives a restart.
 *
 * @param dir an absolute path, for the exclusive use of this server
 * @throws Error when redis-server does not exist or does not start
 */
export async function startServer(dir: string): Promise<Backend> {
  await mkdir(dir, { recursive: true })
  const absolute = join(dir, 'redis.sock')
  // The path of a Unix socket is limited to about 100 bytes.
  const path = [relative('', absolute), absolute].sort((a, b) => a.length - b.length)[0] ?? absolute
  await endOrphan(path)

  const settings = ['--dir', dir, '--logfile', 'redis.log', '--appendonly', 'yes', '--save', '']
  const listen = ['--port', '0', '--unixsocket', 'redis.sock', '--unixsocketperm', '700']
  const server = launch('redis-server', [...settings, ...listen], { stdio: 'ignore', lastSignal: 'TERM' })
  const client = quiet(new Redis({ ...FAIL_FAST, path }))
  const ended = server.ended.then(() => client.disconnect())
  const stop = async () => {
    await server.end('SIGTERM', SHUTDOWN_MS)
    await ended
  }
  await ready(client, `redis-server does not start, see ${dir}/redis.log`, ended).catch(async (error) => {
    await stop()
    throw error
  })
  const lost = server.lost.then((how) => `redis-server exited (${how}): see ${dir}/redis.log`)
  return { engine: 'server', run: throughConnection(client), lost, stop }
}

/** Stops a server that is still running after its stack was killed, because it uses the data files. */
async function endOrphan(path: string): Promise<void> {
  const client = quiet(new Redis({ path, lazyConnect: true, retryStrategy: () => null }))
  await client
    .connect()
    .then(() => client.shutdown())
    .catch(() => {})
  client.disconnect()
}
