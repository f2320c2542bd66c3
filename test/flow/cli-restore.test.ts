import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { verifyReceipt } from '@agentreg/verify'
import { afterAll, describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { RECEIPT_TYPE } from '../../src/transparency/receipt.ts'
import {
  importTokenKeys,
  makeTokenKey,
  signJwt,
  type TokenKey,
  toJwks,
} from '../../src/transparency/token.ts'
import { jsonOf, newCli } from '../support/cli.ts'
import { freshIp, ownStack } from '../support/harness.ts'
import { timeTravel } from '../support/set-back.ts'
import { tokenParts } from '../support/verification-token.ts'
import { settingsOf } from '../support/worker-settings.ts'

const LATER = new Date(Date.now() + 2 * DAY_MS)

const own = await ownStack()
afterAll(own.stop)
const { keepState, setBack, resume } = timeTravel(own.database_url)

/** Reports an event with a receipt. */
async function reportWithReceipt(token: string, reg: string, metadata = {}) {
  const body = { reg, event_type: 'task_completed', metadata }
  const headers = { Prefer: 'return=receipt' }
  const sent = await own.api('POST', '/activity/report', { token, body, headers })
  return { id: sent.body.id as string, receipt: sent.body.receipt as string }
}

async function judge(receipt: string, options: Parameters<typeof verifyReceipt>[2] = {}) {
  const fetchAs = (url: string, init: RequestInit) =>
    fetch(url, { ...init, headers: { ...init.headers, 'CF-Connecting-IP': freshIp() } })
  const { verdict, checks } = await verifyReceipt(own.base_url, receipt, { fetch: fetchAs, ...options })
  return [verdict, checks.find(({ ok }) => !ok)?.detail ?? checks.at(-1)?.detail]
}

/** Removes an event that is not in the log yet, as if it had never been reported. */
async function drop(event: string, agent: string): Promise<void> {
  await own.sql('alter table activity_events disable trigger all')
  await own.sql('delete from activity_events where id = $1', [event])
  await own.sql('alter table activity_events enable trigger all')
  const fewer = 'events = events - 1'
  await own.sql(
    `update agent_stats set ${fewer}, tasks_completed = tasks_completed - 1 where agent_id = $1`,
    [agent],
  )
  await own.sql(`update agent_evidence set ${fewer}, completed = completed - 1 where agent_id = $1`, [agent])
}

const inTheLog = ['verified', 'each event is in the log as it was reported']

describe('a receipt', () => {
  it('is verified once its events are in the log with their content', async () => {
    const { key, reg, operator } = await own.newReporter()
    const { key: reader } = await own.newKey(operator, ['read'])
    const other = (await own.newAgent(operator)).reg
    const events = [reg, other, reg].map((reg) => ({ reg, event_type: 'task_completed' }))
    const batch = await own.api('POST', '/activity/report/batch', {
      token: key,
      body: { events },
      headers: { Prefer: 'return=receipt' },
    })
    await own.cron()
    const { receipt } = await reportWithReceipt(key, reg, { z: [1.5, 1e-7], a: { ü: null, B: true } })
    expect(await judge(receipt)).toEqual([
      'incomplete',
      expect.stringMatching(/event 3: not in the log yet, due at/),
    ])
    const late = { now: new Date(Date.now() + DAY_MS / 2) }
    expect(await judge(receipt, late)).toEqual(['incomplete', expect.stringMatching(/event 3: late, due at/)])
    await own.cron()
    expect(await judge(receipt)).toEqual(inTheLog)
    expect(await judge(batch.body.receipt)).toEqual(inTheLog)
    const many = Array.from({ length: 51 }, () => ({ reg, event_type: 'task_completed' }))
    await own.api('POST', '/activity/report/batch', { token: key, body: { events: many } })
    await own.cron()
    expect(await judge(receipt)).toEqual([
      'incomplete',
      expect.stringContaining('in the log, with content that cannot be opened'),
    ])
    expect(await judge(receipt, { key: reader })).toEqual(inTheLog)
  })

  it('is rejected unless the registry has signed it in this form', async () => {
    const [signer] = await importTokenKeys(JSON.parse(settingsOf(own.dir).TOKEN_KEYS ?? ''))
    const [stranger] = await importTokenKeys([JSON.parse(await makeTokenKey())])
    const { key, reg } = await own.newReporter()
    const { receipt } = await reportWithReceipt(key, reg)
    await own.cron()
    const { claims } = tokenParts(receipt)
    const sign = (changes: object, by = signer, type = RECEIPT_TYPE) =>
      signJwt(type, { ...claims, ...changes }, by as TokenKey)
    expect(await judge(await sign({}))).toEqual(inTheLog)
    const list = { reg: [reg], seq: [[1, 1]], event: [claims.event], facts: [claims.facts] }
    const malformed = [
      { reg: [], seq: [], event: [], facts: [] },
      { ...list, seq: [[1, 1, 1]] },
      { ...list, seq: [1] },
      { ...list, seq: [[2, 1]] },
      { ...list, facts: [] },
      { ...list, event: claims.event },
      { seq: 0 },
      { seq: '1' },
      { event: 7 },
      { facts: claims.facts.toUpperCase() },
      { facts: undefined },
      { due: claims.iat + 86_401 },
      { due: undefined },
    ]
    const rejected = [
      ...malformed.map((changes) => [sign(changes), 'malformed'] as const),
      [sign({ iss: 'https://other.example' }), 'wrong_issuer'],
      [sign({ iat: claims.iat + 172_800, due: claims.due + 172_801 }), 'malformed'],
      [sign({ iat: claims.iat + 200_000, due: claims.due + 200_000 }), 'not_yet_valid'],
      [sign({}, signer, 'agent-verification+jwt'), 'wrong_type'],
      [sign({}, stranger), 'unknown_key'],
      [receipt.replace(/.{86}$/, 'A'.repeat(86)), 'bad_signature'],
    ] as const
    for (const [bad, reason] of rejected)
      expect(await judge(await bad, { now: LATER })).toEqual([
        'failed',
        `the receipt is not valid (${reason})`,
      ])
    const kept = toJwks([stranger as TokenKey])
    expect(await judge(await sign({}, stranger), { keys: kept })).toEqual(inTheLog)
    const another = await sign({ facts: 'f'.repeat(64) })
    expect(await judge(another)).toEqual(['failed', expect.stringContaining('the log has other content')])
  })

  it('shows that its event was dropped, also if another one has its number', async () => {
    const { key, reg, agent, operator } = await own.newReporter()
    const { key: reader } = await own.newKey(operator, ['read'])
    await own.report(key, reg)
    const { id, receipt } = await reportWithReceipt(key, reg)
    await drop(id, agent.id)
    await own.cron()
    expect((await judge(receipt))[0]).toBe('incomplete')
    expect(await judge(receipt, { now: LATER })).toEqual([
      'failed',
      expect.stringMatching(/^promise broken: .* event 2: 1 leaf missing/),
    ])
    await own.report(key, reg)
    await own.cron()
    expect(await judge(receipt, { key: reader })).toEqual([
      'failed',
      expect.stringMatching(/^promise broken: .* in its place/),
    ])
    await using cli = await newCli(own.base_url)
    const [file, keys] = [join(cli.dir, 'receipts'), join(cli.dir, 'keys.json')]
    const other = await reportWithReceipt(key, reg)
    await own.cron()
    await writeFile(file, `${other.receipt}\n${JSON.stringify({ receipt })}\n`)
    await writeFile(keys, await (await fetch(`${own.base_url}/.well-known/jwks.json`)).text())
    const ran = await cli.run('verify', '--receipt', file, '--keys', keys, '--key', reader)
    expect(ran).toMatchObject({ status: 1, out: expect.stringContaining('promise broken') })
    await writeFile(file, other.receipt)
    expect(await cli.run('verify', '--receipt', file, '--keys', keys)).toMatchObject({ status: 0 })
  })
})

it('an agent verifies after a restore that lost part of its log, and receipts and the monitor name what was lost', async () => {
  const { key, reg } = await own.newReporter()
  const dropped = await own.newReporter()
  for (let n = 0; n < 12; n++) await own.report(key, reg)
  await own.cron()
  await keepState()
  for (let n = 0; n < 5; n++) await own.report(key, reg, { event_type: 'task_failed' })
  const lost = await reportWithReceipt(key, reg)
  await own.cron()
  expect(await judge(lost.receipt)).toEqual(inTheLog)
  await using cli = await newCli(own.base_url)
  const before = jsonOf(await cli.run('verify', reg, '--json'))
  expect(before).toMatchObject({ verdict: 'verified', score: { events_considered: 18 } })
  const watch = () => cli.run('monitor', '--state', join(cli.dir, 'monitor.json'))
  expect(await watch()).toMatchObject({ status: 0, out: '' })
  const never = await reportWithReceipt(dropped.key, dropped.reg)
  await drop(never.id, dropped.agent.id)

  await setBack()
  await own.report(key, reg)
  const behind = await cli.run('verify', reg)
  expect(behind.status).not.toBe(1)
  await resume()
  await own.cron()
  const after = jsonOf(await cli.run('verify', reg, '--json'))
  expect(after).toMatchObject({ verdict: 'verified', score: { events_considered: 13 } })
  expect(await watch()).toMatchObject({ status: 1, out: expect.stringMatching(/^.*"check":"restores".*\n$/) })
  expect(await watch()).toMatchObject({ status: 0, out: '' })
  expect(await judge(lost.receipt)).toEqual(['failed', expect.stringMatching(/event 18: lost_in_restore/)])
  expect(await judge(never.receipt, { now: LATER })).toEqual([
    'failed',
    expect.stringMatching(/^promise broken/),
  ])
})
