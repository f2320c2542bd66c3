import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { runCron } from '../../local/cron.ts'
import {
  openCheckpoint,
  parsePolicy,
  tileReader,
  verifyConsistency,
  verifyProof,
} from '../../packages/verify/index.ts'
import { administer } from '../../scripts/admin.ts'
import { makeSignerKey } from '../../src/transparency/keys.ts'
import { consistencyPath } from '../../src/transparency/tiles.ts'
import { ownStack } from '../support/harness.ts'
import { askRedis } from '../support/log/sequencer.ts'
import { expectFinding, run } from '../support/log/story.ts'
import { checkLog } from '../support/log-check.ts'
import { timeTravel } from '../support/set-back.ts'

const own = await ownStack()
afterAll(own.stop)
const { lost, keepState, setBack } = timeTravel(own.database_url)
const log = (path: string) => own.api('GET', `//log/${path}`)

async function policyNow() {
  const { body } = await log('info.json')
  return parsePolicy(`${body.vkeys.map((vkey: string) => `log ${vkey}`).join('\n')}\nquorum none`)
}

async function headNow() {
  const { checkpoint } = await openCheckpoint((await log('checkpoint')).text, await policyNow())
  if (!checkpoint) throw new Error('the head cannot be opened')
  return checkpoint
}

async function checkDatabase() {
  const client = new pg.Client({ connectionString: own.database_url })
  await client.connect()
  return checkLog(client).finally(() => client.end())
}

const resume = async (words: string[], variables: Record<string, string> = {}) => {
  Object.assign(process.env, variables)
  try {
    return await administer(own.database_url, ['log-resume', ...words])
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name]
  }
}

const stateNow = async () =>
  (await own.api('GET', '//ready', { now: new Date(Date.now() + ++requested * 60_000) })).body.log
let requested = 0

/** `npm run drill:restore` runs only this, and prints how long each step takes. */
it('drill: a restore with reports in between, from read-only to the first write', async () => {
  const { key, reg } = await own.newReporter()
  const sent = async (count: number, api = own.api) => {
    for (let n = 0; n < count; n++)
      await api('POST', '/activity/report', { token: key, body: { reg, event_type: 'heartbeat' } })
    await own.cron()
  }
  await sent(3)
  await keepState()
  await sent(5)
  const started = Date.now()
  const took: [string, string][] = []
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const began = Date.now()
    const result = await work()
    took.push([name, `${((Date.now() - began) / 1000).toFixed(1)} s`])
    return result
  }
  const paused = await step('read-only', () => own.variant({ READ_ONLY: 'true' }))
  try {
    const body = { reg, event_type: 'heartbeat' }
    expect((await paused.api('POST', '/activity/report', { token: key, body })).status).toBe(503)
    await step('restore the earlier state', setBack)
    const repair = () => administer(own.database_url, ['after-restore'])
    process.env.LOST_DATABASE_URL = lost
    const said = await step('after-restore', repair).finally(() => delete process.env.LOST_DATABASE_URL)
    expect(said).toContain('transparency log: paused')
    await step('log-resume', () => resume([], { LOST_DATABASE_URL: lost }))
    expect((await paused.api('GET', `/agents/${reg}`)).status).toBe(200)
  } finally {
    await paused.stop()
  }
  await step('first write', () => sent(1))
  const [{ events }] = await own.sql(
    'select events::integer from agent_stats where agent_id = (select id from agents where reg = $1)',
    [reg],
  )
  expect(events).toBe(4)
  expect(await stateNow()).toMatchObject({ state: 'ok' })
  expect((await checkDatabase()).problems).toEqual([])
  took.push(['RTO of the commands', `${((Date.now() - started) / 1000).toFixed(1)} s`])
  took.push(['RPO: events lost', '5 of 8, those reported after the restore point'])
  console.table(took)
})

describe('a database restored to a time before its signed head', () => {
  let reporter: Awaited<ReturnType<typeof own.newReporter>>
  let before: Awaited<ReturnType<typeof headNow>>
  let proof: string
  let state: string

  /** Signs a head, saves the database, reports and signs again, then restores the saved database. */
  beforeEach(async () => {
    reporter = await own.newReporter()
    const { key, reg } = reporter
    for (let n = 0; n < 3; n++) await own.report(key, reg, { metadata: { n } })
    await own.cron()
    await keepState()
    for (let n = 3; n < 300; n += 99)
      await own.api('POST', '/activity/report/batch', {
        token: key,
        body: { events: Array.from({ length: 99 }, () => ({ reg, event_type: 'task_completed' })) },
      })
    await own.cron()
    before = await headNow()
    proof = (await log(`proof/${before.size - 1}`)).text
    state = join(own.dir, `${reg}.json`)
    expect(await run(own.base_url, reg, '--state', state)).toMatchObject({ status: 0 })
    await setBack()
  })

  it('accepts reports without appending or signing, and continues after its lost leaves are restored', async () => {
    const policy = await policyNow()
    const head = await headNow()
    expect(head.size).toBeLessThan(before.size)
    const { key, reg } = reporter
    await own.report(key, reg, { metadata: { again: true } })
    await expect(own.cron()).rejects.toThrow('500')
    expect(await stateNow()).toMatchObject({ state: 'behind', size: head.size })
    expect(await headNow()).toEqual(head)

    expect(await administer(own.database_url, ['after-restore'])).toContain('transparency log: paused')
    expect(await stateNow()).toMatchObject({ state: 'paused' })
    await expect(resume([])).rejects.toThrow('usage')
    await expect(resume([], { LOST_DATABASE_URL: own.database_url })).rejects.toThrow('another database')
    expect(await resume([], { LOST_DATABASE_URL: lost })).toBe(
      `leaves ${head.size} to ${before.size - 1} are restored, and leaf ${before.size} states that they are no longer valid`,
    )
    await expect(resume(['--as-it-is'])).rejects.toThrow('not paused')
    await own.cron()
    const after = await headNow()
    expect(after.size).toBeGreaterThan(before.size)
    const { readTiles } = tileReader(`${own.base_url}/log`)
    const [oldRoot, root] = [before.root, after.root]
    const path = await consistencyPath(before.size, after.size, readTiles)
    expect(await verifyConsistency({ oldSize: before.size, oldRoot, size: after.size, root, path })).toBe(
      true,
    )
    expect(await verifyProof(proof, policy)).toMatchObject({ reason: null })
    expect((await checkDatabase()).problems).toEqual([])
    expect(await stateNow()).toMatchObject({ state: 'ok' })
    const { data } = (await own.api('GET', `/agents/${reg}/log-entries?kind=event`)).body
    expect(data.map(({ leaf }: { leaf: string }) => JSON.parse(leaf).seq)).toEqual([1, 2, 3, 4])
    const { body } = await own.api('GET', `/agents/${reg}`)
    expect(body.reg).toBe(reg)
    const dropped = `a restore has declared leaves ${head.size} to ${before.size - 1} void`
    expectFinding(await run(own.base_url, reg, '--state', state), dropped)
    const accepted = ['--accept-restore', `${head.size}-${before.size}`]
    expect(await run(own.base_url, reg, '--state', state, ...accepted)).toMatchObject({ status: 0, err: '' })
    const verified = await run(own.base_url, reg, '--state', state, '--all')
    expect(verified.out).toContain(
      `note: RESTORE: leaves ${head.size} to ${before.size - 1} are no longer valid`,
    )
    expect(verified).toMatchObject({ status: 0, err: '' })
  })

  it('appends nothing until a witness is asked if Redis is empty, too, and can then be resumed', async () => {
    const head = await headNow()
    await askRedis(own, 'DEL', 'tlog:head:localhost/log')
    const { key, reg } = reporter
    await own.report(key, reg, { metadata: { again: true } })
    for (const _ of [1, 2]) await expect(own.cron()).rejects.toThrow('500')
    expect(await headNow()).toEqual(head)
    expect((await own.sql('select size::integer, paused from tlog_state'))[0]).toEqual({
      size: head.size,
      paused: 'witness',
    })
    expect(await resume([], { LOST_DATABASE_URL: lost })).toContain('are restored')
    await own.cron()
    expect((await checkDatabase()).problems).toEqual([])
    const accepted = ['--accept-restore', `${head.size}-${before.size}`]
    const verified = await run(own.base_url, reg, '--state', state, '--all', ...accepted)
    expect(verified).toMatchObject({ status: 0, err: '' })
  })

  it('continues under a new origin when the lost leaves cannot be restored', async () => {
    const { key, reg } = reporter
    await administer(own.database_url, ['after-restore'])
    const origin = 'localhost/log/2'
    await expect(resume(['--new-origin', 'localhost/log'])).rejects.toThrow('already served below /log,')
    await expect(resume(['--new-origin', 'localhost/other'])).rejects.toThrow('must have the form')
    expect(await resume(['--new-origin', origin])).toContain(`the log is ${origin} from leaf`)
    await own.report(key, reg, { metadata: { again: true } })
    await expect(own.cron()).rejects.toThrow('500') // the Worker still signs for the old origin

    const { skey, vkey } = await makeSignerKey(origin)
    const known = { method: 'PUT', body: JSON.stringify([vkey]) }
    expect((await fetch(`${own.witness_url}/logs`, known)).status).toBe(204)
    const other = await own.variant({ LOG_ORIGIN: origin, LOG_KEY: skey })
    try {
      await runCron(other.url, new Date())
      const { body } = await other.api('GET', '//log/info.json')
      expect(body).toMatchObject({
        origin,
        vkeys: [vkey],
        previous_origins: [
          { origin: 'localhost/log', last_note: expect.stringContaining('localhost/log\n') },
        ],
      })
      const policy = await parsePolicy(`log ${vkey}\nquorum none`)
      // Caches keep tiles of the old log for a year, so the new log uses other URLs.
      expect((await other.api('GET', '//log/tile/0/000')).status).toBe(404)
      const { body: gone } = await other.api('GET', '//log/checkpoint')
      expect(gone.error.message).toBe('the log is served under /log/2')
      expect((await other.api('GET', '//log/2/tile/0/000.p/1')).status).toBe(200)
      const note = (await other.api('GET', '//log/2/checkpoint')).text
      expect(await openCheckpoint(note, policy)).toMatchObject({ reason: null })
      expect((await checkDatabase()).problems).toEqual([])
      expectFinding(
        await run(other.url, reg, '--issuer', own.base_url, '--state', state),
        `the log continues under a new origin: ${origin}. The previous one was localhost/log.`,
      )
      const verified = await run(other.url, reg, '--issuer', own.base_url, '--state', state, '--vkey', vkey)
      expect(verified.out).toMatch(/note: LOST: leaves \d+ to \d+, which localhost\/log had signed/)
      expect(verified).toMatchObject({ status: 0, err: '' })
      expect(await run(other.url, reg, '--issuer', own.base_url, '--state', state)).toMatchObject({
        status: 0,
        err: '',
      })
    } finally {
      await other.stop()
    }
  })
})
