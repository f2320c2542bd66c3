import { createHash } from 'node:crypto'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { RECEIPT_TYPE } from '../../src/transparency/receipt.ts'
import {
  importTokenKeys,
  makeTokenKey,
  signJwt,
  type TokenKey,
  toJwks,
} from '../../src/transparency/token.ts'
import { type Body, shared } from '../support/harness.ts'
import { untilLogged } from '../support/logged.ts'
import { ASK, judgeReceipt, reportWithReceipt } from '../support/receipts.ts'
import { tokenParts } from '../support/verification-token.ts'
import { settingsOf } from '../support/worker-settings.ts'

const h = shared()
const { api, newAgent, newReporter, sql } = h

const METADATA = { b: [1.5, 'ü', -0, 1e-7], a: { z: null, y: true }, B: {}, '\u{1F600}': 1, ﬁ: 2 }

/** The claims of a receipt, verified by another implementation. */
async function claimsOf(receipt: string) {
  const keys = await (await fetch(`${h.base_url}/.well-known/jwks.json`)).json()
  const { payload, protectedHeader } = await jwtVerify(receipt, createLocalJWKSet(keys as JSONWebKeySet), {
    typ: 'agent-event-receipt+jwt',
    algorithms: ['ES256'],
    issuer: h.base_url,
  })
  expect(Object.keys(protectedHeader)).toEqual(['alg', 'typ', 'kid'])
  return payload
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** The canonical text of an event with simple metadata. */
function textOf({ created_at, id, metadata, platform, severity, source, event_type }: Body): string {
  return JSON.stringify({ created_at, id, metadata, platform, severity, source, type: event_type })
}

const reportOnce = (token: string, reg: string, key: string, headers = ASK) =>
  api('POST', '/activity/report', {
    token,
    body: { reg, event_type: 'task_completed', metadata: METADATA },
    headers: { 'Idempotency-Key': key, ...headers },
  })

describe('the receipt of a report', () => {
  it('states the number and the content of the event, and only a report that prefers it has one', async () => {
    const { key, reg } = await newReporter()
    const plain = await reportOnce(key, reg, 'plain', { Prefer: 'return=minimal, x="return=receipt"' })
    expect(plain.status).toBe(201)
    expect(plain.body).not.toHaveProperty('receipt')
    expect(plain.headers.get('preference-applied')).toBeNull()
    const { body, headers } = await reportOnce(key, reg, 'asks', { Prefer: 'wait=5, Return="receipt"' })
    expect(headers.get('preference-applied')).toBe('return=receipt')
    const { receipt, ...event } = body
    expect(Object.keys(event)).toEqual(Object.keys(plain.body))
    const iat = Math.floor(Date.parse(event.created_at) / 1000)
    const text = `{"created_at":"${event.created_at}","id":"${event.id}","metadata":{"B":{},"a":{"y":true,"z":null},"b":[1.5,"ü",0,1e-7],"\u{1F600}":1,"ﬁ":2},"platform":null,"severity":"info","source":"self","type":"task_completed"}`
    const facts = digestOf(text)
    const about = { reg, seq: 2, event: event.id, facts }
    expect(await claimsOf(receipt)).toEqual({ iss: h.base_url, iat, ...about, due: iat + 86_400 })
  })

  it('has the same claims when the report is repeated', async () => {
    const { key, reg } = await newReporter()
    const first = await reportOnce(key, reg, 'one')
    await h.report(key, reg)
    const again = await reportOnce(key, reg, 'one')
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await claimsOf(again.body.receipt)).toEqual(await claimsOf(first.body.receipt))
  })

  it('that is repeated after the rules were relaxed has only the events that were stored', async () => {
    const { key, reg } = await newReporter()
    const send = (...types: unknown[]) =>
      api('POST', '/activity/report/batch', {
        token: key,
        body: batchOf(types),
        headers: { 'Idempotency-Key': reg, ...ASK },
      })
    const batchOf = (types: unknown[]) => ({ events: types.map((event_type) => ({ reg, event_type })) })
    const first = await send('a', 1)
    await sql('update idempotency_keys set body_sha256 = $1 where answer::text like $2', [
      digestOf(JSON.stringify(batchOf(['a', 'b']))),
      `%${reg}%`,
    ])
    const again = await send('a', 'b')
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(again.body).toMatchObject({
      accepted: 1,
      rejected: 1,
      data: [first.body.data[0], { status: 400 }],
    })
    expect(again.body.data[1].error.message).toMatch(/rejected when this Idempotency-Key was first used/)
    expect(await claimsOf(again.body.receipt)).toEqual(await claimsOf(first.body.receipt))
  })
})

it('the receipt of a batch has a range of numbers for each agent, in the order of the batch, and is missing if nothing was stored', async () => {
  const { key, reg, operator, agent } = await newReporter()
  const other = await newAgent(operator)
  await h.report(key, other.reg)
  const event = (reg: string) => ({ reg, event_type: 'task_completed' })
  const body = { events: [event(reg), event(other.reg), { reg: 1 }, event(reg)] }
  const sent = await api('POST', '/activity/report/batch', { token: key, body, headers: ASK })
  expect(sent.status).toBe(207)
  expect(sent.headers.get('preference-applied')).toBe('return=receipt')
  const [one, two, three] = sent.body.data.flatMap(({ event = [] }: Body) => event)
  const claims = await claimsOf(sent.body.receipt)
  expect(claims).toMatchObject({
    reg: [reg, other.reg],
    seq: [
      [1, 2],
      [2, 2],
    ],
    event: [one.id, two.id],
    facts: [digestOf(`[${textOf(one)},${textOf(three)}]`), digestOf(`[${textOf(two)}]`)],
  })
  const stored = await sql('select seq::int, id from activity_events where agent_id = $1 order by seq', [
    agent.id,
  ])
  expect(stored).toEqual([
    { seq: 1, id: one.id },
    { seq: 2, id: three.id },
  ])
  const none = await api('POST', '/activity/report/batch', {
    token: key,
    body: { events: [{ reg: 1 }] },
    headers: ASK,
  })
  expect([none.status, none.headers.get('preference-applied')]).toEqual([207, null])
  expect(none.body).not.toHaveProperty('receipt')
})

describe('the verdict about a receipt', () => {
  const LATER = new Date(Date.now() + 2 * DAY_MS)
  const IN_THE_LOG = ['verified', 'each event is in the log as it was reported']
  const judge = (receipt: string, options = {}) => judgeReceipt(h, receipt, options)

  it('is verified if the log has its events with their content, which may need a key', async () => {
    const { key, reg, operator } = await newReporter()
    const { key: reader } = await h.newKey(operator, ['read'])
    const other = (await newAgent(operator)).reg
    const batch = async (regs: string[]) => {
      const events = regs.map((one) => ({ reg: one, event_type: 'task_completed' }))
      return (await api('POST', '/activity/report/batch', { token: key, body: { events }, headers: ASK }))
        .body
    }
    const first = await batch([reg, other, reg])
    const { receipt } = await reportWithReceipt(h, key, reg, METADATA)
    for (const one of [reg, other]) await untilLogged(h, one)
    for (const one of [receipt, first.receipt]) expect(await judge(one)).toEqual(IN_THE_LOG)
    await batch(Array(51).fill(reg))
    await untilLogged(h, reg)
    const closed = expect.stringMatching(/in the log, with content that cannot be opened/)
    expect(await judge(receipt)).toEqual(['incomplete', closed])
    expect(await judge(receipt, { key: reader })).toEqual(IN_THE_LOG)
  })

  it('is rejected unless the registry has signed it in this form', async () => {
    const [signer] = await importTokenKeys(JSON.parse(settingsOf(h.dir).TOKEN_KEYS ?? ''))
    const [stranger] = await importTokenKeys([JSON.parse(await makeTokenKey())])
    const { key, reg } = await newReporter()
    const { receipt } = await reportWithReceipt(h, key, reg)
    await untilLogged(h, reg)
    const { claims } = tokenParts(receipt)
    const sign = (changes: object, by = signer, type = RECEIPT_TYPE) =>
      signJwt(type, { ...claims, ...changes }, by as TokenKey)
    expect(await judge(await sign({}))).toEqual(IN_THE_LOG)
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
      { iat: claims.iat + 172_800, due: claims.due + 172_801 },
    ]
    const rejected = [
      ...malformed.map((changes) => [sign(changes), 'malformed'] as const),
      [sign({ iss: 'https://other.example' }), 'wrong_issuer'],
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
    expect(await judge(await sign({}, stranger), { keys: kept })).toEqual(IN_THE_LOG)
    const another = await sign({ facts: 'f'.repeat(64) })
    expect(await judge(another)).toEqual(['failed', expect.stringContaining('the log has other content')])
  })
})
