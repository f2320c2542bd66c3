import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { withClient } from '../../scripts/support/database.ts'
import { writeAtomically } from '../file.ts'
import { launch } from '../process.ts'
import { type Account, give, letThrough, openFolder } from './account.ts'
import type { Binaries } from './binaries.ts'

const STATE_FILE = 'postgres.json'
// The builtin provider sorts identically on every system.
const INITDB = '--encoding=UTF8 --locale=C --locale-provider=builtin --builtin-locale=C.UTF-8'.split(' ')

/** The data folder (absolute, or relative to `home`) and the superuser's password. */
interface Cluster {
  data: string
  password: string
}

export function readCluster(home: string): Cluster | null {
  const file = join(home, STATE_FILE)
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : null
}

export function saveCluster(home: string, cluster: Cluster): void {
  writeAtomically(join(home, STATE_FILE), JSON.stringify(cluster))
}

/** Plans a new cluster, below `home` if the server's user can reach it. */
export function planCluster(home: string, account: Account): Cluster {
  return {
    data: letThrough(home, account) ? 'data' : join(openFolder(home, account), 'data'),
    password: randomBytes(24).toString('hex'),
  }
}

/** Runs initdb in a temporary folder, so that an interrupted run leaves no partial data folder. */
export async function initialize({ folder }: Binaries, data: string, password: string, account: Account) {
  const partial = `${data}.new`
  const passwordFile = `${data}.password`
  fs.rmSync(partial, { recursive: true, force: true })
  fs.mkdirSync(partial, { recursive: true, mode: 0o700 })
  fs.writeFileSync(passwordFile, password, { mode: 0o600 })
  give(partial, account)
  give(passwordFile, account)
  const target = ['-D', partial, '-U', 'registry', '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
  try {
    const initdb = launch(join(folder, 'bin/initdb'), [...target, ...INITDB], {
      ...account,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
      lastSignal: 'KILL',
    })
    const said = initdb.child.stderr ? await text(initdb.child.stderr) : ''
    const how = await initdb.ended
    if (how !== 'exit code 0') throw new Error(`initdb failed (${how}): ${said}`)
  } finally {
    fs.rmSync(passwordFile)
  }
  fs.renameSync(partial, data)
}

/** @throws Error when another major version created the data */
export function requireSameMajor({ version }: Binaries, data: string): void {
  const made = fs.readFileSync(join(data, 'PG_VERSION'), 'utf8').trim()
  if (version.includes(` ${made}.`)) return
  throw new Error(
    `${data} was created by PostgreSQL ${made}, but this is ${version}: start without data: npm run dev -- --fresh`,
  )
}

export async function createDatabase(connectionString: string, name: string): Promise<void> {
  await withClient(connectionString, async (client) => {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])
    if (rowCount === 0) await client.query(`CREATE DATABASE ${name}`)
  })
}
