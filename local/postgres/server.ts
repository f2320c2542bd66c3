import * as fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../port.ts'
import { launch, until } from '../process.ts'
import type { Account } from './account.ts'
import { postmasterFile } from './postmaster.ts'

const SHUTDOWN_MS = 15_000
const START_MS = 60_000
const RETRY_MS = 200
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'timezone=UTC',
  'max_connections=200',
  'shared_buffers=128MB',
]
const RETRIED = /could not bind|shared memory block .* is still in use/ // in English because of LC_ALL=C below

interface Options {
  /** The folder with `bin/postgres`. */
  folder: string
  data: string
  account: Account
  /** The pid in a stale pid file, or null. */
  stalePid: number | null
  log: string
}

export interface Server {
  port: number
  pid: number
  lost: Promise<string>
  stop(): Promise<void>
}

/**
 * Starts the server on a free port of 127.0.0.1, and waits until it is ready.
 *
 * @throws Error with its log when it does not start
 */
export async function startServer(options: Options): Promise<Server> {
  const { data, log } = options
  const deadline = Date.now() + START_MS
  while (true) {
    const port = await freePort()
    const server = run(options, port)
    const pid = server.child.pid ?? 0
    const isReady = () => {
      const lines = postmasterFile(data)
      return server.isAlive() && Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
    }
    await until(() => isReady() || !server.isAlive(), deadline - Date.now())
    const stop = () => server.end('SIGINT', SHUTDOWN_MS)
    if (isReady()) return { port, pid, lost: server.lost, stop }
    await stop()
    const text = `${fs.readFileSync(log, 'utf8')}${await server.ended}`
    if (!RETRIED.test(text) || Date.now() > deadline) throw new Error(`PostgreSQL did not start:\n${text}`)
    await sleep(RETRY_MS)
  }
}

function run({ folder, data, account, stalePid, log }: Options, port: number) {
  const settings = [...SETTINGS, `port=${port}`, `cluster_name=owner-${process.pid}`]
  const flags = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]
  const output = fs.openSync(log, 'w', 0o600)
  try {
    return launch(join(folder, 'bin/postgres'), flags, {
      ...account,
      cwd: '/',
      stdio: ['ignore', output, output],
      // The server refuses to start if another process has the pid of the pid file, unless it is declared an ancestor.
      env: { ...process.env, LC_ALL: 'C', ...(stalePid && { PG_GRANDPARENT_PID: String(stalePid) }) },
      lastSignal: 'INT',
    })
  } finally {
    fs.closeSync(output)
  }
}
