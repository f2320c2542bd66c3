import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@upstash/qstash'
import { afterAll, describe, expect, it } from 'vitest'
import { runCron } from '../../local/cron.ts'
import { TOKEN } from '../../local/stand-ins/qstash/sign.ts'
import { MINUTE_MS } from '../../src/lib/time.ts'
import { makeSignerKey } from '../../src/transparency/keys.ts'
import { type KeyPair, newAgentKey, newProof } from '../support/agent-keys.ts'
import { newIntegration } from '../support/deliveries.ts'
import { type Body, expectError, type Operator, ownStack } from '../support/harness.ts'
import { expectFinding, run } from '../support/log/story.ts'
import { checkLog } from '../support/log-check.ts'
import { untilVerified } from '../support/logged.ts'
import { mailControl } from '../support/mail.ts'
import { withClient } from '../support/migrate.ts'
import { askRedis } from '../support/redis.ts'
import { timeTravel } from '../support/set-back.ts'

delete process.env.QSTASH_URL // always use the stand-in, because these tests move its clock
const own = await ownStack()
afterAll(own.stop)
const mail = mailControl(own)
const { lost, keepState, setBack } = timeTravel(own.database_url)

async function headNow() {
  const [, size, root] = (await own.api('GET', '//log/checkpoint')).text.split('\n')
  return { size: Number(size), root }
}

async function expectSoundLog(): Promise<void> {
  expect((await withClient(own.database_url, checkLog)).problems).toEqual([])
}

/** Runs a command of the owner, with a lost database, if any. */
async function command(words: string[], lostUrl = ''): Promise<string> {
  process.env.LOST_DATABASE_URL = lostUrl
  try {
    return await own.admin(...words)
  } finally {
    delete process.env.LOST_DATABASE_URL
  }
}

let requested = 0
const stateNow = async () =>
  (await own.api('GET', '//ready', { now: new Date(Date.now() + ++requested * MINUTE_MS) })).body.log

const year = new Date().getUTCFullYear()
const slots = (): Promise<Body[]> => own.sql('select slot, block, next from number_slots order by slot')

/** Signs a head, saves the database, reports and signs again, then restores the saved database. */
async function rewind(restore: (work: () => Promise<void>) => Promise<void> = (work) => work()) {
  const { key, reg } = await own.newReporter()
  for (let n = 0; n < 3; n++) await own.report(key, reg, { metadata: { n } })
  await own.cron()
  await keepState()
  const events = Array(99).fill({ reg, event_type: 'task_completed' })
  for (let n = 0; n < 3; n++) await own.reportBatch(key, events)
  const [body, headers] = [{ reg, event_type: 'task_failed' }, { Prefer: 'return=receipt' }]
  const promised = await own.api('POST', '/activity/report', { token: key, body, headers })
  const receipt = join(own.dir, `${reg}.receipt`)
  writeFileSync(receipt, promised.body.receipt)
  await own.cron()
  const before = await headNow()
  const state = join(own.dir, `${reg}.json`)
  expect(await run(own.base_url, reg, '--state', state)).toMatchObject({ status: 0 })
  expect(await run(own.base_url, '--receipt', receipt)).toMatchObject({ status: 0 })
  await restore(setBack)
  return { key, reg, before, receipt, state }
}

/** `npm run drill:restore` runs only this, and prints how long each step takes. */
it('drill: the log accepts reports without signing after a restore, and continues after its lost leaves are restored', async () => {
  const took: [step: string, seconds: number][] = []
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const began = Date.now()
    const result = await work()
    took.push([name, (Date.now() - began) / 1000])
    return result
  }
  await using paused = await step('read-only', () => own.variant({ READ_ONLY: 'true' }))
  const { key, reg, before, receipt, state } = await rewind((work) => step('restore the earlier state', work))
  const body = { reg, event_type: 'heartbeat' }
  expect((await paused.api('POST', '/activity/report', { token: key, body })).status).toBe(503)
  const head = await headNow()
  expect(head.size).toBeLessThan(before.size)
  await own.report(key, reg, { metadata: { again: true } })
  await expect(own.cron()).rejects.toThrow('500')
  expect(await stateNow()).toMatchObject({ state: 'behind', size: head.size })
  await askRedis(own, 'DEL', 'tlog:head:localhost/log') // also then, a witness knows that leaves are missing
  for (const _ of [1, 2]) await expect(own.cron()).rejects.toThrow('500')
  expect(await own.sql('select size::integer, paused from tlog_state')).toEqual([
    { size: head.size, paused: 'witness' },
  ])
  expect(await headNow()).toEqual(head)
  expect((await run(own.base_url, reg)).status).not.toBe(1) // incomplete, but nothing is wrong

  const repaired = await step('after-restore', () => command(['after-restore'], lost))
  expect(repaired).toContain('transparency log: paused')
  // Also the slots from which no number had been taken.
  expect(await slots()).toEqual(Array.from({ length: 8 }, (_, slot) => ({ slot, block: slot + 17, next: 1 })))
  expect(await stateNow()).toMatchObject({ state: 'paused' })
  await expect(command(['log-resume'])).rejects.toThrow('usage')
  await expect(command(['log-resume'], own.database_url)).rejects.toThrow('another database')
  expect(await step('log-resume', () => command(['log-resume'], lost))).toBe(
    `leaves ${head.size} to ${before.size - 1} are restored, and leaf ${before.size} states that they are no longer valid`,
  )
  await expect(command(['log-resume', '--as-it-is'])).rejects.toThrow('not paused')
  expect((await paused.api('GET', `/agents/${reg}`)).status).toBe(200)
  await step('first write', () => own.cron())
  console.table([...took, ['RTO of the commands', took.reduce((sum, [, seconds]) => sum + seconds, 0)]])
  expect((await headNow()).size).toBeGreaterThan(before.size)
  await expectSoundLog()
  expect(await stateNow()).toMatchObject({ state: 'ok' })
  const { data } = (await own.api('GET', `/agents/${reg}/log-entries?kind=event`)).body
  expect(data.map(({ leaf }: { leaf: string }) => JSON.parse(leaf).seq)).toEqual([1, 2, 3, 4])

  const dropped = `a restore has declared leaves ${head.size} to ${before.size - 1} void`
  expectFinding(await run(own.base_url, reg, '--state', state), dropped)
  const accepted = ['--accept-restore', `${head.size}-${before.size}`]
  const verified = await run(own.base_url, reg, '--state', state, '--all', ...accepted)
  expect(verified.out).toContain(
    `note: RESTORE: leaves ${head.size} to ${before.size - 1} are no longer valid`,
  )
  expect(verified.out).toMatch(`declares leaves ${head.size} to ${before.size - 1} void`)
  expect(verified).toMatchObject({ status: 0, err: '' })
  expectFinding(await run(own.base_url, '--receipt', receipt), /event 301: lost_in_restore/)
})

it('a key of an agent that has ended stays ended and taken, and the agent is verified with its new leaves', async () => {
  const operator = await own.newOperator()
  const { reg } = await own.newAgent(operator)
  const revoke = async ({ kid }: Body, reason: string) =>
    (await own.api('DELETE', `/agents/${reg}/keys/${kid}?reason=${reason}`, { token: operator.token })).body
  const known = await newAgentKey(own, operator, reg)
  await own.cron()
  await keepState()
  const [later, valid] = [await newAgentKey(own, operator, reg), await newAgentKey(own, operator, reg)]
  const ended = [await revoke(known, 'compromised'), await revoke(later, 'unused')]
  await own.cron()
  await setBack()
  expect(await command(['after-restore'], lost)).toContain('keys of agents: 2 ended again')
  for (const { kid, status, added_at, revoked_at, reason } of ended) {
    const { body } = await own.api('GET', `/agent-keys/${kid}`)
    expect(body).toMatchObject({ reg, status, added_at, revoked_at, reason })
  }
  const again = await own.newOperator({ email: operator.email })
  const add = async (pair: KeyPair) =>
    own.api('POST', `/agents/${reg}/keys`, {
      token: again.token,
      body: { proof: await newProof(own, reg, undefined, pair) },
    })
  expectError(await add(later.pair), 409, 'CONFLICT')
  expect((await add(valid.pair)).status).toBe(201)
  const { body } = await own.api('GET', '/operators/me/audit-log?action=agent_key.revoked', {
    token: again.token,
  })
  expect(body.data.map(({ target }: Body) => target).sort()).toEqual(ended.map(({ kid }) => kid).sort())

  await command(['log-resume'], lost)
  const { keys } = await untilVerified(own, reg)
  expect(new Map(keys?.map(({ kid, status }) => [kid, status]))).toEqual(
    new Map([
      [known.kid, 'revoked'],
      [later.kid, 'revoked'],
      [valid.kid, 'active'],
    ]),
  )
})

describe('what operators did after the restore point', () => {
  const statusOf = async (token: string) => (await own.api('GET', '/operators/me/agents', { token })).status

  /** One after the other, because registrations of one operator wait for each other in any case. */
  async function numbersOf(owner: Operator, count: number): Promise<string[]> {
    const numbers: string[] = []
    while (numbers.length < count) numbers.push((await own.newAgent(owner)).reg)
    return numbers
  }

  it('assigns no agent number twice, rejects revoked credentials, and sends the same events again', async () => {
    await own.qstash.setClock({ mode: 'virtual' })
    await using integration = await newIntegration(own)
    const people = await Promise.all(Array.from({ length: 3 }, () => own.newOperator({ tier: 'business' })))
    const [owner, leaver, barred] = people as [Operator, Operator, Operator]
    const [good, revoked, barredKey] = await Promise.all([
      own.newKey(owner, ['read']),
      own.newKey(owner, ['read']),
      own.newKey(barred, ['read']),
    ])
    // At the restore point, one slot is at the last number of its block.
    await own.sql(
      `insert into number_slots (year, slot, block, next) values ($1, 1, 2, 9999)
       on conflict (year, slot) do update set next = 9999`,
      [year],
    )
    const { platform, receiver, operator } = integration
    const reported = await own.newAgent(operator, { platform_slug: platform.slug })
    // Otherwise QStash drops the first message after the restore as a duplicate, and only the next one is delivered.
    const published = () => own.sql('select from webhook_deliveries where publish_count = 1')
    await expect.poll(published).toHaveLength(1)
    const { id: leaked } = await own.report((await own.newKey(operator)).key, reported.reg, {
      metadata: { note: 'leaked' },
    })
    await own.cron()
    const alerted = await mail.newAlerted()
    await keepState()

    await own.admin('redact', leaked, '--reason', 'secret')
    await own.admin('erase', leaked)
    const since = await numbersOf(owner, 60)
    await own.api('DELETE', `/operators/me/api-keys/${revoked.id}`, { token: owner.token })
    await own.api('DELETE', '/auth/session', { token: leaver.token })
    await own.suspend(barred)
    for (const name of [reported.reg, platform.slug]) await own.admin('withhold-text', name)
    await own.api('PATCH', '/operators/me', { token: owner.token, body: { mail_opt_outs: ['trust_alert'] } })
    const gone = await own.newAgent(operator, { platform_slug: platform.slug })
    await own.qstash.runUntilIdle({ atLeast: 2 })
    const [first] = receiver.received.filter(({ event }) => event.data.reg === reported.reg)
    expect(receiver.received).toHaveLength(2)
    await setBack()

    // Without the command, everything that ended since is valid again.
    const tokens = [revoked.key, leaver.token, barredKey.key, owner.token, good.key]
    expect(await Promise.all(tokens.map(statusOf))).toEqual([200, 200, 200, 200, 200])
    expect((await own.api('GET', `/agents/${gone.reg}`)).status).toBe(404)

    const live = await own.sql('select id from sessions where ended_at is null')
    const pending = await own.sql("select id from mails where status = 'pending'")
    expect(await command(['after-restore'], lost)).toBe(
      `numbers: 8 slots of ${year} skipped 2 blocks each
sessions: ${live.length} ended
mails: ${pending.length} pending mails are not sent
API keys: 1 revoked again; keys of agents: 0 ended again; operators: 1 suspended again
redactions: 1 repeated; were erased, must be erased again: ${leaked}
withheld texts: 2 withheld again
transparency log: paused; "admin -- log-resume" is the last step`,
    )
    await command(['log-resume'], lost)
    expect(await Promise.all(tokens.map(statusOf))).toEqual([401, 401, 403, 401, 200])
    const { body: activity } = await own.api('GET', `/agents/${reported.reg}/activity`)
    expect(activity.data).toMatchObject([{ metadata: {}, redacted: { reason: 'secret' } }])
    expect((await own.api('GET', `/agents/${reported.reg}`)).body).toMatchObject({
      name: reported.reg,
      platform_name: platform.slug,
    })

    const again = await own.newOperator({ email: owner.email })
    const ask = async (path: string) => (await own.api('GET', path, { token: again.token })).body
    const audit = (await ask('/operators/me/audit-log?per_page=50')).data
    const actions = audit.map(({ action, target }: Body) => [action, target])
    expect(actions).toContainEqual(['api_key.revoked', revoked.id])
    expect(actions.filter(([action]: string[]) => action === 'session.ended')).toHaveLength(1)
    expect((await ask('/operators/me')).mail_opt_outs).toEqual(['trust_alert'])

    const all = [...since, ...(await numbersOf(again, 60)), reported.reg, gone.reg]
    expect(new Set(all).size).toBe(all.length)

    // The event delivered after the restore point is delivered again under its id; the lost one is not.
    expect(await own.sql("select from webhook_deliveries where status = 'pending'")).toHaveLength(1)
    await own.cron(new Date(Date.now() + 30 * MINUTE_MS))
    await own.qstash.runUntilIdle({ atLeast: 1 })
    expect(receiver.received).toHaveLength(3)
    expect(receiver.received[2]?.event).toEqual(first?.event)
    // Without digests, which the jobs also send when the clock of this test reaches Monday.
    const alerts = (await mail.rows(alerted.operator)).filter(({ type }) => type === 'incident_alert')
    expect(alerts).toMatchObject([{ status: 'skipped', attempts: 0 }])
    const mails = await mail.received(alerted.operator)
    expect(mails.filter(({ subject }) => !/^Your week/.test(subject))).toEqual([])
    const { token } = await own.newOperator({ email: operator.email })
    const { body } = await own.api('GET', `${integration.path}/deliveries`, { token })
    expect(body.data).toMatchObject([{ status: 'delivered', type: 'agent.registered' }])
  })

  it('is named if the lost database is not there to restore it, and numbers are skipped then, too', async () => {
    const before = await slots()
    for (const [words, url] of [
      [['after-restore', 'now'], ''],
      [['after-restore'], own.database_url],
    ] as const)
      await expect(command([...words], url)).rejects.toThrow(/usage|another database/)
    expect(await slots()).toEqual(before)
    expect(await command(['after-restore'])).toMatch(
      /^numbers: 8 slots[^\n]*\n[^\n]*\n[^\n]*\nAPI keys, keys of agents, and operators: .*LOST_DATABASE_URL/,
    )
    expect(await slots()).toEqual(before.map(({ slot, block }) => ({ slot, block: block + 16, next: 1 })))
    await command(['log-resume', '--as-it-is'])
  })

  it('leaves messages for deliveries that no longer exist, which the relay accepts', async () => {
    const client = new Client({ baseUrl: own.qstash_url, token: TOKEN, retry: false })
    const url = `${own.base_url}/internal/qstash/deliver`
    const body = { delivery_id: '019a0000-0000-7000-8000-000000000000', attempt: 3, host: null }
    await client.publishJSON({ url, body })
    await own.qstash.runUntilIdle({ atLeast: 1 })
    expect(await own.qstash.messages()).toEqual([])
  })
})

// Must run last, as the Worker of the stack cannot sign for the new origin.
it('the log continues under a new origin when the lost leaves cannot be restored', async () => {
  const { key, reg, state } = await rewind()
  await command(['after-restore'])
  const origin = 'localhost/log/2'
  const renamed = (to: string) => command(['log-resume', '--new-origin', to])
  await expect(renamed('localhost/log')).rejects.toThrow('already served below /log,')
  await expect(renamed('localhost/other')).rejects.toThrow('must have the form')
  expect(await renamed(origin)).toContain(`the log is ${origin} from leaf`)
  await own.report(key, reg, { metadata: { again: true } })
  await expect(own.cron()).rejects.toThrow('500') // the Worker still signs for the old origin

  const { skey, vkey } = await makeSignerKey(origin)
  const known = { method: 'PUT', body: JSON.stringify([vkey]) }
  expect((await fetch(`${own.witness_url}/logs`, known)).status).toBe(204)
  await using other = await own.variant({ LOG_ORIGIN: origin, LOG_KEY: skey })
  await runCron(other.url, new Date())
  const { body } = await other.api('GET', '//log/info.json')
  expect(body).toMatchObject({
    origin,
    vkeys: [vkey],
    previous_origins: [{ origin: 'localhost/log', last_note: expect.stringContaining('localhost/log\n') }],
  })
  // Caches keep tiles of the old log for a year, so the new log uses other URLs.
  expect((await other.api('GET', '//log/tile/0/000')).status).toBe(404)
  const { body: gone } = await other.api('GET', '//log/checkpoint')
  expect(gone.error.message).toBe('the log is served under /log/2')
  expect((await other.api('GET', '//log/2/tile/0/000.p/1')).status).toBe(200)
  await expectSoundLog()
  const verify = (...args: string[]) =>
    run(other.url, reg, '--issuer', own.base_url, '--state', state, ...args)
  expectFinding(
    await verify(),
    `the log continues under a new origin: ${origin}. The previous one was localhost/log.`,
  )
  const verified = await verify('--vkey', vkey)
  expect(verified.out).toMatch(/note: LOST: leaves \d+ to \d+, which localhost\/log had signed/)
  expect(verified).toMatchObject({ status: 0, err: '' })
  expect(await verify()).toMatchObject({ status: 0, err: '' })
})
