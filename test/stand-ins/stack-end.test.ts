import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  dev,
  END_MS,
  endAll,
  found,
  madeFolder,
  newFolder,
  noneOf,
  prepare,
  readyDev,
  run,
  START_MS,
} from './dev.ts'
import { descendantsOf, survivorsOf } from './processes.ts'

vi.setConfig({ testTimeout: 2 * (START_MS + END_MS), hookTimeout: START_MS + END_MS })

beforeAll(prepare)

describe('the end of the local stack', () => {
  afterEach(endAll)

  test('SIGKILL leaves no processes and loses no data, and the next start works', async () => {
    const first = await readyDev()
    await run('local/sign-in.ts', ['kept@example.com'], first.dir)
    const family = descendantsOf(first.pid)
    process.kill(first.pid, 'SIGKILL')
    const second = await readyDev({ dir: first.dir, port: first.port })
    await noneOf(family)
    expect(await run('scripts/admin.ts', ['unsuspend', 'kept@example.com'], first.dir)).toMatchObject({
      code: 0,
    })

    const parts = descendantsOf(second.pid)
    process.kill(found(parts, 'bin/postgres -D'), 'SIGKILL')
    expect(await second.ended).toBe(1)
    expect(second.output()).toMatch(/^PostgreSQL exited \(SIGKILL\): see .*postgres\.log$/m)
    await noneOf(parts)
  })

  test('Ctrl-C ends every part in order, and a Worker that crashes ends the stack with a message', async () => {
    const first = await readyDev()
    const family = descendantsOf(first.pid)
    process.kill(-first.pid, 'SIGINT')
    expect(await first.ended).toBe(0)
    expect(survivorsOf(family)).toEqual([])
    expect(existsSync(join(first.dir, 'stack.json'))).toBe(false)
    expect(first.output()).toMatch(/\nstopping\n$/)

    const second = await readyDev({ dir: first.dir })
    const parts = descendantsOf(second.pid)
    process.kill(found(parts, 'workerd serve'), 'SIGKILL')
    expect(await second.ended).toBe(1)
    expect(second.output()).toMatch(/^the Worker exited \(its runtime crashed\): see .*worker\.log$/m)
    await noneOf(parts)
  })

  test.for(['creating the database', 'migrated'])('Ctrl-C at "%s" cancels the start', async (moment) => {
    const one = await dev({ dir: moment === 'creating the database' ? newFolder() : await madeFolder() })
    await one.says(moment)
    const family = descendantsOf(one.pid)
    process.kill(-one.pid, 'SIGINT')
    expect(await one.ended).toBe(0)
    expect(one.output()).toMatch(/\nstopping\n/)
    expect(one.output()).not.toMatch(/Ready|Error|failed| {4}at /)
    await noneOf(family)
  })
})
