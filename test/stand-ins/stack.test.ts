import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startPostgres } from '../../local/postgres/index.ts'
import { readStackFile } from '../../scripts/support/stack-file.ts'
import { withClient } from '../support/migrate.ts'
import {
  type Dev,
  dev,
  END_MS,
  endAll,
  health,
  madeFolder,
  newFolder,
  noneOf,
  prepare,
  ROOT,
  readyDev,
  run,
  START_MS,
} from './dev.ts'
import { descendantsOf, survivorsOf } from './processes.ts'

vi.setConfig({ testTimeout: 2 * (START_MS + END_MS), hookTimeout: START_MS + END_MS })

afterAll(endAll)

let first: Dev
beforeAll(async () => {
  await prepare()
  first = await readyDev({ dir: newFolder() })
})

describe('while a stack is running', () => {
  test('a second start in its folder is rejected without affecting it', async () => {
    const before = descendantsOf(first.pid)
    const second = await dev({ dir: first.dir })
    expect(await second.ended).toBe(1)
    expect(second.output().split('\n')[1]).toMatch(
      /^a stack is already running in .*; stop it, or start a second one/,
    )
    expect(survivorsOf(before)).toEqual(before)
    expect(await health(first)).toBe(200)
  })

  test('a start on its port is rejected', async () => {
    const second = await dev({ port: first.port })
    expect(await second.ended).toBe(1)
    expect(second.output()).toContain(`port ${first.port} is taken; choose another: PORT=`)
  })

  test('another stack with its own folder and port runs, and ends when npm ends its shell', async () => {
    const shell = await readyDev({ shell: true, env: { npm_lifecycle_event: 'dev' } })
    expect([await health(first), await health(shell)]).toEqual([200, 200])
    const [one, other] = [readStackFile(first.dir), readStackFile(shell.dir)]
    expect(one.database_url).not.toBe(other.database_url)
    expect(one.identity_url).not.toBe(other.identity_url)
    const family = descendantsOf(shell.pid)
    shell.child.kill('SIGTERM')
    await noneOf(family)
    expect(await health(first)).toBe(200)
  })

  test('cron runs the jobs, or prints that they failed', async () => {
    expect(await run('local/cron.ts', [], first.dir)).toEqual({ code: 0, stdout: '', stderr: '' })
    const { database_url } = readStackFile(first.dir)
    await withClient(database_url, async (client) => {
      await client.query('ALTER TABLE job_runs RENAME TO away')
      expect(await run('local/cron.ts', [], first.dir)).toEqual({
        code: 1,
        stdout: '',
        stderr: 'the scheduled jobs failed (500 exception): see worker.log',
      })
      await client.query('ALTER TABLE away RENAME TO job_runs')
    })
  })
})

describe.concurrent('an invalid start', () => {
  test.for([
    [
      'LOCAL_DIR',
      join(ROOT, 'package.json'),
      'the data folder cannot be used; set LOCAL_DIR to another one: EEXIST',
    ],
    [
      'DATABASE_URL',
      'postgresql://a:b@127.0.0.1:1/c',
      'the database at 127.0.0.1:1 cannot be migrated: connect',
    ],
  ] as const)('%s=%s is rejected in one line', async ([name, value, message]) => {
    const one = await dev({ env: { [name]: value } })
    expect(await one.ended).toBe(1)
    expect(one.output()).toContain(message)
    expect(one.output()).not.toContain('    at ')
  })

  test('a database with other migrations is rejected with the command to start over', async () => {
    const dir = await madeFolder()
    const postgres = await startPostgres({ dir: join(dir, 'postgres') })
    await withClient(postgres.url, (client) =>
      client.query(`insert into drizzle.__drizzle_migrations (hash, created_at) values ('of another', 1)`),
    )
    await postgres.stop()
    const one = await dev({ dir })
    expect(await one.ended).toBe(1)
    expect(one.output().trimEnd().split('\n').at(-1)).toMatch(
      /^the database at \S+ cannot be migrated: it was created by another version .* npm run dev -- --fresh$/,
    )
    expect(one.output()).not.toContain('    at ')
  })

  test('commands print that no stack is running', async () => {
    const dir = newFolder()
    const rejection = {
      code: 1,
      stdout: '',
      stderr: `no stack is running in ${dir}: start one with npm run dev`,
    }
    expect(await run('local/cron.ts', [], dir)).toEqual(rejection)
    expect(await run('scripts/admin.ts', ['suspend', 'a@example.com'], dir)).toEqual(rejection)
  })
})
