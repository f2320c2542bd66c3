import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { runCron } from '../../local/cron.ts'
import { startWitness, type Witness } from '../../local/stand-ins/witness/index.ts'
import { openCheckpoint, parsePolicy } from '../../packages/verify/index.ts'
import { MINUTE_MS } from '../../src/lib/time.ts'
import { type Body, ownStack } from '../support/harness.ts'
import { run } from '../support/log/story.ts'
import { askRedis } from '../support/redis.ts'

// One log with a witness for each fault: all but the first can fail in the way that their name says.

const HEAD = 'tlog:head:localhost/log'
const HONEST = 'honest'
/** Their faults give no usable response; the log continues without their cosignatures. */
const UNUSABLE = ['silent', 'slow', 'badSignature', 'otherHead', 'conflict', 'forbidden'] as const
/** Their faults claim that this log is not the one that they know. */
const REJECTING = ['lyingSize', 'unprocessable'] as const
const NAMES = [HONEST, ...UNUSABLE, ...REJECTING]
const ROUNDS = 4
const BATCH = 40

const own = await ownStack()
const { operator, reg, key } = await own.newReporter()
const witnesses = new Map<string, Witness>()
const workers: Awaited<ReturnType<typeof own.variant>>[] = []

beforeAll(async () => {
  const { body: info } = await own.api('GET', '//log/info.json')
  const lines: string[] = []
  for (const name of NAMES) {
    const witness = await startWitness({ dir: join(own.dir, `witness-${name}`), logs: info.vkeys })
    witnesses.set(name, witness)
    lines.push(`witness ${name} ${witness.vkey} ${witness.url}`)
  }
  for (let n = 0; n < 2; n++) workers.push(await own.variant({ LOG_WITNESSES: lines.join('\n') }))
  expect(await runJobs()).toBe(true) // starts the log
})
afterEach(async () => {
  for (const { url } of witnesses.values()) await fetch(`${url}/-/faults`, { method: 'DELETE' })
})
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()))
  await Promise.all([...witnesses.values()].map((witness) => witness.stop()))
  await own.stop()
})

let requested = 0
const report = () => own.report(key, reg)

/** Activates the faults of these witnesses. */
async function activateFaults(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const faults = { method: 'POST', body: JSON.stringify({ [name]: true }) }
    expect((await fetch(`${witnesses.get(name)?.url}/-/faults`, faults)).status).toBe(200)
  }
}

/** Runs the jobs of a Worker; false when any has failed. */
const runJobs = (n = 0) =>
  runCron(workers[n]?.url ?? '', new Date()).then(
    () => true,
    () => false,
  )

/** The served head and its witnesses; throws if any signature line is invalid. */
async function served() {
  const { text } = await own.api('GET', '//log/checkpoint')
  const { body: info } = await own.api('GET', '//log/info.json')
  const known = [...witnesses].map(([name, { vkey }]) => `witness ${name} ${vkey}`)
  const policy = await parsePolicy([`log ${info.vkeys[0]}`, ...known, 'quorum none'].join('\n'))
  const { checkpoint, reason } = await openCheckpoint(text, policy)
  if (!checkpoint) throw new Error(`${reason}: ${text}`)
  const root = Buffer.from(checkpoint.root).toString('base64')
  return { head: `${checkpoint.size} ${root}`, seenBy: checkpoint.witnesses.map(({ name }) => name) }
}

const stateNow = async () =>
  (
    await own.sql(
      `select paused, size::integer, (select sum(events - logged_events)::integer from agent_stats) as waiting
       from tlog_state`,
    )
  )[0]

/** The log lines of a Worker for an event. */
const logged = (name: string, n = 0): Body[] => workers[n]?.logged(name) ?? []

describe('a head', () => {
  it('is published with the valid cosignatures, whatever the other witnesses respond', async () => {
    await report()
    await activateFaults([...UNUSABLE, ...REJECTING])
    expect(await runJobs()).toBe(true)
    const { head, seenBy } = await served()
    expect(seenBy).toEqual([HONEST])
    expect(await askRedis(own, 'GET', HEAD)).toBe(head)
    expect(await stateNow()).toMatchObject({ paused: null, waiting: 0 })
    const silent = logged('tlog_witness_silent')
    expect(silent.map(({ witness }) => witness).sort()).toEqual([...UNUSABLE].sort())
    for (const [name, message] of [
      ['badSignature', 'the response has no cosignature of its key'],
      ['otherHead', 'the response has no cosignature of its key'],
      ['conflict', 'responded with 409'],
      ['forbidden', 'responded with 403'],
    ])
      expect(silent.find(({ witness }) => witness === name)).toMatchObject({ message })
    expect(logged('tlog_witness_refused')).toMatchObject([
      {
        level: 'error',
        refused: [
          expect.stringMatching(/^lyingSize knows 10\d{5} leaves$/),
          expect.stringMatching(/^unprocessable rejects the path from [1-9]\d* leaves$/),
        ],
      },
    ])
  })

  it('is cosigned again by witnesses that have recovered, from the head that each knows', async () => {
    await report()
    expect(await runJobs()).toBe(true)
    expect((await served()).seenBy).toEqual(NAMES)
  })
})

describe('the log after Redis lost the last head', () => {
  it.each(REJECTING)('is paused by a witness that contradicts it: %s', async (name) => {
    const before = await served()
    await report()
    await askRedis(own, 'DEL', HEAD)
    await activateFaults([name])
    const rejections = logged('tlog_witness_refused').length
    expect(await runJobs()).toBe(false)
    expect(logged('tlog_witness_refused')).toHaveLength(rejections + 1)
    expect(await stateNow()).toMatchObject({ paused: 'witness' })
    expect(await served()).toEqual(before)

    await report()
    expect(await runJobs()).toBe(false)
    expect(logged('tlog_refused').at(-1)).toMatchObject({ reason: 'paused: witness' })
    const later = new Date(Date.now() + ++requested * MINUTE_MS) // /ready is cached for a while
    expect((await own.api('GET', '//ready', { now: later })).body.log.state).toBe('paused')

    await fetch(`${witnesses.get(name)?.url}/-/faults`, { method: 'DELETE' })
    await own.admin('log-resume', '--as-it-is')
    expect(await runJobs()).toBe(true)
    expect(await stateNow()).toMatchObject({ paused: null, waiting: 0 })
    expect((await served()).seenBy).toEqual(NAMES)
  })

  it('appends nothing while no witness responds, and continues once one does', async () => {
    const before = [await served(), (await stateNow()).size]
    await report()
    await askRedis(own, 'DEL', HEAD)
    for (const { url } of witnesses.values())
      await fetch(`${url}/-/faults`, { method: 'POST', body: JSON.stringify({ forbidden: true }) })
    for (const _ of [1, 2]) expect(await runJobs()).toBe(false)
    expect([await served(), (await stateNow()).size]).toEqual(before)
    expect(await stateNow()).toMatchObject({ paused: null, waiting: 1 })

    await fetch(`${witnesses.get(HONEST)?.url}/-/faults`, { method: 'DELETE' })
    expect(await runJobs()).toBe(true)
    expect(await stateNow()).toMatchObject({ paused: null, waiting: 0 })
    expect((await served()).seenBy).toEqual([HONEST])
  })

  it('is not paused by witnesses without a usable response', async () => {
    await report()
    await askRedis(own, 'DEL', HEAD)
    const unusable = UNUSABLE.filter((name) => name !== 'silent' && name !== 'slow')
    await activateFaults(unusable)
    expect(await runJobs()).toBe(true)
    const { head, seenBy } = await served()
    expect(seenBy).toEqual(NAMES.filter((name) => !unusable.some((one) => one === name)))
    expect(await askRedis(own, 'GET', HEAD)).toBe(head)
    expect(await stateNow()).toMatchObject({ paused: null, waiting: 0 })
  })
})

it('a job that waits for a witness does not replace the larger head of another job', async () => {
  await report()
  const faults = `${witnesses.get('silent')?.url}/-/faults`
  await fetch(faults, { method: 'POST', body: JSON.stringify({ silent: 1 }) })
  const waiting = runJobs(0)
  await expect.poll(async () => (await fetch(faults)).json()).toMatchObject({ silent: false }) // the request has arrived
  await report()
  expect(await runJobs(1)).toBe(true)
  const { head } = await served()
  expect(await waiting).toBe(true)
  expect((await served()).head).toBe(head)
  expect(await askRedis(own, 'GET', HEAD)).toBe(head)
  expect(await stateNow()).toMatchObject({ paused: null, waiting: 0 })
})

it('two concurrent jobs sign consistent heads and log nothing twice, also when Redis has lost the head', async () => {
  const state = join(own.dir, 'seen.json')
  const policy = join(own.dir, 'policy.txt')
  writeFileSync(policy, `witness ${HONEST} ${witnesses.get(HONEST)?.vkey}\nquorum ${HONEST}\n`)
  const names = ['tlog_forked', 'tlog_witness_refused', 'tlog_refused', 'job_failed']
  const counts = () => names.flatMap((name) => [0, 1].map((n) => logged(name, n).length))
  const before = counts()
  const events = Array.from({ length: BATCH }, () => ({ reg, event_type: 'task_completed' }))
  for (let round = 0; round < ROUNDS; round++) {
    if (round % 2 === 1) await askRedis(own, 'DEL', HEAD)
    const results = await Promise.all([
      runJobs(0),
      own.api('POST', '/activity/report/batch', { token: key, body: { events } }),
      runJobs(1),
    ])
    expect(results).toMatchObject([true, { status: 201 }, true])
    // Verifies each head against the earlier ones, and that each number is logged once.
    const seen = await run(own.base_url, '--all', '--state', state, '--witness', policy)
    expect(seen).toMatchObject({ status: 0, err: '' })
  }
  expect(await runJobs()).toBe(true)
  expect(counts()).toEqual(before)
  expect(await stateNow()).toMatchObject({ paused: null, waiting: 0 })
  const { head, seenBy } = await served()
  expect(seenBy).toEqual(NAMES)
  expect(await askRedis(own, 'GET', HEAD)).toBe(head)
  const { key: readKey } = await own.newKey(operator, ['read'])
  const whole = await run(own.base_url, reg, '--key', readKey, '--state', state, '--all', '--witness', policy)
  expect(whole).toMatchObject({ status: 0, err: '' })
})
