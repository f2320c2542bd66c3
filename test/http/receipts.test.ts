import { createHash } from 'node:crypto'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { type Body, shared } from '../support/harness.ts'

const h = shared()
const { api, newAgent, newReporter, sql } = h

const ASK = { Prefer: 'return=receipt' }
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

  it('has the same claims when the report is repeated, and is missing if they were not kept', async () => {
    const { key, reg } = await newReporter()
    const first = await reportOnce(key, reg, 'one')
    await h.report(key, reg)
    const again = await reportOnce(key, reg, 'one')
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await claimsOf(again.body.receipt)).toEqual(await claimsOf(first.body.receipt))
    await sql(`update idempotency_keys set answer = answer #- $1 where answer -> 'agents' ? $2`, [
      ['agents', reg, 'last_seq'],
      reg,
    ])
    const older = await reportOnce(key, reg, 'one')
    expect(older.status).toBe(201)
    expect(older.body).not.toHaveProperty('receipt')
    expect(older.headers.get('preference-applied')).toBeNull()
  })
})

describe('the receipt of a batch', () => {
  it('has a range of numbers for each agent, in the order of the batch, and is missing if nothing was stored', async () => {
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
})
