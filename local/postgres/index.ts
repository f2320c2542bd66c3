import * as fs from 'node:fs'
import { join, resolve } from 'node:path'
import { findAccount } from './account.ts'
import { findBinaries } from './binaries.ts'
import {
  createDatabase,
  initialize,
  planCluster,
  readCluster,
  requireSameMajor,
  saveCluster,
} from './cluster.ts'
import { stopOrphan } from './postmaster.ts'
import { startServer } from './server.ts'

const DATABASE = 'registry'

export interface Postgres {
  url: string
  /** Null for the server of DATABASE_URL. */
  pid: number | null
  /** Resolves with a message if the server exits on its own. */
  lost: Promise<string>
  stop(): Promise<void>
}

/**
 * Starts PostgreSQL on a free port of 127.0.0.1, or uses the server of `DATABASE_URL`.
 *
 * If this process is root, the server runs as `postgres` or `nobody`, and its data is in /var/tmp if that user cannot
 * reach the folder. The server ends with this process, even if that is killed.
 *
 * @param dir folder of the data, the password (`postgres.json`, 0600) and the log; created if missing
 * @param fresh deletes earlier data first
 * @param say receives progress messages
 * @returns the URL of the database `registry` as superuser, and a function that shuts the server down
 * @throws Error when the data belongs to another major version, is in use by a running process, or the server fails
 */
export async function startPostgres(options: {
  dir: string
  fresh?: boolean
  say?: (line: string) => void
}): Promise<Postgres> {
  const { fresh = false, say = () => {} } = options
  if (process.env.DATABASE_URL) {
    if (fresh) say('DATABASE_URL is set: its database is kept as it is')
    return { url: process.env.DATABASE_URL, pid: null, lost: new Promise(() => {}), stop: async () => {} }
  }
  fs.mkdirSync(options.dir, { recursive: true })
  const home = fs.realpathSync(resolve(options.dir))
  const known = readCluster(home)
  const account = findAccount(known && resolve(home, known.data))
  const cluster = known ?? planCluster(home, account)
  const data = resolve(home, cluster.data)

  const stalePid = await stopOrphan(data, say)
  const binaries = await findBinaries(account, say)
  if (fresh || !known) fs.rmSync(data, { recursive: true, force: true })
  if (!fs.existsSync(data)) {
    say(`creating the database in ${data}`)
    await initialize(binaries, data, cluster.password, account)
    saveCluster(home, cluster)
  }
  requireSameMajor(binaries, data)
  const log = join(home, 'postgres.log')
  const server = await startServer({ folder: binaries.folder, data, account, stalePid, log })
  const url = (database: string) =>
    `postgresql://registry:${cluster.password}@127.0.0.1:${server.port}/${database}`
  try {
    await createDatabase(url('postgres'), DATABASE)
  } catch (error) {
    await server.stop()
    throw error
  }
  const lost = server.lost.then((how) => `PostgreSQL exited (${how}): see ${log}`)
  return { url: url(DATABASE), pid: server.pid, lost, stop: server.stop }
}
