import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { type Postgres, startPostgres } from '../../local/postgres/index.ts'
import { withClient } from '../support/migrate.ts'
import { copyTemplate, makeTemplate } from '../support/template.ts'
import { testFolders } from '../support/test-folder.ts'
import { listProcesses, type Process } from './processes.ts'

const PATIENCE_MS = 30_000

const newFolder = testFolders()
const made = newFolder()
let dir: string
let running: Postgres[]

beforeAll(async () => {
  vi.stubEnv('DATABASE_URL', undefined)
  await makeTemplate(made, async () => undefined)
})

beforeEach(() => {
  vi.stubEnv('DATABASE_URL', undefined)
  dir = newFolder()
  running = []
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await Promise.all(running.map((server) => server.stop()))
})

/** Starts a server on existing data. */
async function startAgain(): Promise<Postgres> {
  await copyTemplate(made, dir)
  return start()
}

async function start(options: { fresh?: boolean; say?: (line: string) => void } = {}): Promise<Postgres> {
  const server = await startPostgres({ dir, ...options })
  running.push(server)
  return server
}

const query = (url: string, text: string): Promise<unknown[][]> =>
  withClient(url, async (client) => (await client.query({ text, rowMode: 'array' })).rows)

function dataFolder(): string {
  const { data } = JSON.parse(readFileSync(join(dir, 'postgres.json'), 'utf8'))
  return data.startsWith('/') ? data : join(dir, data)
}

const pidFile = () => join(dataFolder(), 'postmaster.pid')
const postmaster = () => Number(readFileSync(pidFile(), 'utf8').split('\n')[0])

/** The pid of the shell that stops the server with this pid when its parent ends. */
function watcherOf(pid: number): number {
  const isWatcher = ({ command }: Process) =>
    /^sh -c read/.test(command) && command.trim().endsWith(` ${pid}`)
  return listProcesses().find(isWatcher)?.pid ?? 0
}

test('a new folder becomes a durable UTF-8 database in UTC, and its password is private', async () => {
  const { url } = await start()
  expect(new URL(url).pathname).toBe('/registry')
  expect(
    await query(url, 'SELECT current_database(), usesuper FROM pg_user WHERE usename = current_user'),
  ).toEqual([['registry', true]])
  const settings = `SELECT name, setting FROM pg_settings ORDER BY name`
  expect(Object.fromEntries((await query(url, settings)) as [string, string][])).toMatchObject({
    TimeZone: 'UTC',
    fsync: 'on',
    full_page_writes: 'on',
    listen_addresses: '127.0.0.1',
    max_connections: '200',
    server_encoding: 'UTF8',
    synchronous_commit: 'on',
  })
  expect(statSync(join(dir, 'postgres.json')).mode & 0o777).toBe(0o600)
  const wrong = new URL(url)
  wrong.password = 'wrong'
  await expect(query(wrong.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' })
})

test('a restart keeps the data, and fresh deletes it', async () => {
  const first = await startAgain()
  await query(first.url, 'CREATE TABLE kept (id int)')
  await first.stop()
  await first.stop()
  const second = await start()
  expect(await query(second.url, 'SELECT * FROM kept')).toEqual([])
  await second.stop()
  const third = await start({ fresh: true })
  await expect(query(third.url, 'SELECT * FROM kept')).rejects.toMatchObject({ code: '42P01' })
})

test('a pid file that names another running process is stale, and that process is not killed', async () => {
  const first = await startAgain()
  await query(first.url, 'CREATE TABLE kept (id int)')
  const lines = readFileSync(pidFile(), 'utf8').split('\n')
  process.kill(postmaster(), 'SIGKILL')
  await first.stop()
  const { uid, gid } = statSync(dataFolder())
  const bystander = spawn('sleep', ['60'], process.getuid?.() === 0 ? { uid, gid } : {})
  onTestFinished(() => void bystander.kill('SIGKILL'))
  writeFileSync(pidFile(), [bystander.pid, ...lines.slice(1)].join('\n'))
  const second = await start()
  expect(await query(second.url, 'SELECT * FROM kept')).toEqual([])
  expect([bystander.exitCode, bystander.signalCode]).toEqual([null, null])
})

test.for([
  ['stops when its parent is killed', false],
  ['is stopped by the next start when it outlived its parent', true],
] as const)('a server %s, and its data is kept', async ([, outlives]) => {
  const module = JSON.stringify(new URL('../../local/postgres/index.ts', import.meta.url).href)
  const script = `const { startPostgres } = await import(${module})
    console.log((await startPostgres({ dir: ${JSON.stringify(dir)} })).url)
    setInterval(() => {}, 1000)`
  await copyTemplate(made, dir)
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script])
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [url] = await once(parent.stdout, 'data')
  await query(String(url).trim(), 'CREATE TABLE kept (id int)')
  const orphan = postmaster()
  if (outlives) process.kill(watcherOf(orphan), 'SIGKILL')
  parent.kill('SIGKILL')
  await once(parent, 'close')
  if (!outlives) await vi.waitFor(() => expect(existsSync(pidFile())).toBe(false), PATIENCE_MS)
  const lines: string[] = []
  const next = await start({ say: (line) => lines.push(line) })
  expect(lines.join()).toBe(
    outlives ? `stopping the PostgreSQL (pid ${orphan}) that an earlier run left behind` : '',
  )
  expect(await query(next.url, 'SELECT * FROM kept')).toEqual([])
})

test('data of another major version is rejected with the command to fix it', async () => {
  await copyTemplate(made, dir)
  writeFileSync(join(dataFolder(), 'PG_VERSION'), '12\n')
  await expect(start()).rejects.toThrow(/created by PostgreSQL 12.*npm run dev -- --fresh/)
})

test.runIf(process.getuid?.() === 0)(
  'run as root, data is stored elsewhere if the folder is not accessible',
  async () => {
    const temporary = dir
    chmodSync(temporary, 0o700)
    dir = join(temporary, 'home')
    mkdirSync(dir)
    const first = await start()
    const elsewhere = dirname(dataFolder())
    onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }))
    expect(elsewhere).not.toContain(temporary)
    await query(first.url, 'CREATE TABLE kept (id int)')
    await first.stop()
    const second = await start()
    expect(await query(second.url, 'SELECT * FROM kept')).toEqual([])
  },
)

test('with DATABASE_URL no server is started', async () => {
  const own = await startAgain()
  vi.stubEnv('DATABASE_URL', own.url)
  const given = await startPostgres({ dir: join(dir, 'unused'), fresh: true })
  expect(given.url).toBe(own.url)
  await given.stop()
  expect(await query(own.url, 'SELECT 1')).toEqual([[1]])
})
