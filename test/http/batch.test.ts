import { expect, it } from 'vitest'
import { logOf, tirelessReporter, unknownReg, withWrongCheck } from '../support/fill.ts'
import { type ApiResponse, type Body, expectError, shared } from '../support/harness.ts'
import { ISO, UUID } from '../support/shapes.ts'

const h = shared()
const { api, sql, newAgent } = h

const EVENTS_MAX = 1_000
const BODY_MAX_BYTES = 1024 * 1024

const batch = (token: string, events: unknown, now?: Date): Promise<ApiResponse> =>
  api('POST', '/activity/report/batch', { token, body: { events }, ...(now && { now }) })

const rejection = (index: number, status: number, code: string, message: RegExp = /./) => ({
  index,
  status,
  error: { code, status, message: expect.stringMatching(message) },
})

async function daySums(reg: string): Promise<Body> {
  const [row] = await sql(
    `select coalesce(sum(d.events), 0)::integer as events, coalesce(sum(down_seconds), 0)::integer as down
     from agents a left join agent_evidence d on a.id = d.agent_id where a.reg = $1`,
    [reg],
  )
  return row
}

it('stores a batch of one event like a single report', async () => {
  const { reg, key, agent } = await tirelessReporter(h)
  const { status, body } = await batch(key, [{ reg, event_type: 'heartbeat' }])
  expect(status).toBe(201)
  expect(body).toEqual({
    data: [
      {
        index: 0,
        status: 201,
        event: {
          id: UUID,
          agent_id: agent.id,
          event_type: 'heartbeat',
          severity: 'info',
          metadata: {},
          reported_by: 'operator',
          source: 'self',
          platform: null,
          created_at: ISO,
        },
      },
    ],
    accepted: 1,
    rejected: 0,
  })
  const { body: listed } = await api('GET', `/agents/${reg}/activity`)
  const { agent_id, ...event } = body.data[0].event
  expect(listed.data).toEqual([event])
})

it('stores a thousand events in their order, all with the same time', async () => {
  const { reg, key } = await tirelessReporter(h)
  const events = Array.from({ length: EVENTS_MAX }, (_, n) => ({
    reg,
    event_type: n % 2 === 0 ? 'task_completed' : 'task_failed',
    metadata: { n },
  }))
  const { status, body } = await batch(key, events)
  expect(status).toBe(201)
  expect(body).toMatchObject({ accepted: EVENTS_MAX, rejected: 0 })
  expect(body.data.map((result: Body) => result.index)).toEqual(events.map((_, n) => n))
  const log = await logOf(h, reg)
  expect(log.map(({ id }) => id)).toEqual(body.data.map((result: Body) => result.event.id))
  expect(log.map(({ seq }) => seq)).toEqual(events.map((_, n) => n + 1))
  expect(log.map(({ metadata }) => metadata.n)).toEqual(events.map((_, n) => n))
  expect(new Set(body.data.map((result: Body) => result.event.created_at)).size).toBe(1)
  const { body: profile } = await api('GET', `/agents/${reg}`)
  expect(profile).toMatchObject({ tasks_completed: 500, tasks_failed: 500, success_rate: '50.00' })
})

it('rejects a malformed envelope as a whole, and stores nothing', async () => {
  const { reg, key } = await tirelessReporter(h)
  const event = { reg, event_type: 'x' }
  const tooMany = Array.from({ length: EVENTS_MAX + 1 }, () => event)
  const envelopes: [unknown, RegExp][] = [
    [{ events: [] }, /^events: at least 1 event/],
    [{ events: tooMany }, /^events: at most 1000 events/],
    [{ events: event }, /^events: /],
    [[event], /^body: |^events: /],
  ]
  for (const [body, message] of envelopes) {
    const response = await api('POST', '/activity/report/batch', { token: key, body })
    expectError(response, 400, 'VALIDATION_ERROR', message)
  }
  expect(await logOf(h, reg)).toEqual([])
})

it('accepts or rejects each event separately, in the order of the request', async () => {
  const { operator, reg, key, agent } = await tirelessReporter(h)
  const [foreign, ended] = await Promise.all([tirelessReporter(h), newAgent(operator)])
  await api('PATCH', `/agents/${ended.reg}`, { token: operator.token, body: { status: 'deactivated' } })
  const unknown = unknownReg()
  const good = { reg, event_type: 'x' }
  const own = { id: 'mine', agent_id: 'other', created_at: '1999-01-01', seq: 99 } // fields that are ignored
  const { status, body } = await batch(key, [
    good,
    { ...good, event_type: '' },
    { reg: foreign.reg, event_type: 'x' },
    { ...good, severity: 'fatal' },
    { ...good, ...own, severity: 'warning', metadata: { quality: 1 } },
    { reg: ended.reg, event_type: 'x' },
    { reg: unknown, event_type: 'x' },
    { reg: withWrongCheck(reg), event_type: 'x' },
    { reg: 'REG-1', event_type: 'x' },
    { event_type: 'x' },
    { reg },
    { ...good, metadata: { text: 'a\u0000b' } },
    'not an event',
    null,
    [good],
    good,
  ])
  expect(status).toBe(207)
  const bad = (index: number, message: RegExp) => rejection(index, 400, 'VALIDATION_ERROR', message)
  expect(body).toEqual({
    data: [
      { index: 0, status: 201, event: expect.objectContaining({ agent_id: agent.id, event_type: 'x' }) },
      bad(1, /^event_type: /),
      rejection(2, 403, 'FORBIDDEN', /^this key cannot report on agent REG-/),
      bad(3, /^severity: /),
      {
        index: 4,
        status: 201,
        event: expect.objectContaining({
          id: UUID,
          agent_id: agent.id,
          severity: 'warning',
          metadata: { quality: 1 },
          created_at: expect.not.stringMatching(/^1999/),
        }),
        warnings: expect.arrayContaining([
          expect.objectContaining({ code: 'unused', field: 'metadata.quality' }),
        ]),
      },
      rejection(5, 410, 'AGENT_DEACTIVATED', /deactivated/),
      rejection(6, 404, 'NOT_FOUND', new RegExp(unknown)),
      rejection(7, 404, 'NOT_FOUND', /check character/),
      bad(8, /^reg: /),
      bad(9, /^reg: required/),
      bad(10, /^event_type: required/),
      bad(11, /^metadata: .*NUL/),
      bad(12, /object/),
      bad(13, /object/),
      bad(14, /object/),
      { index: 15, status: 201, event: expect.objectContaining({ agent_id: agent.id }) },
    ],
    accepted: 3,
    rejected: 13,
  })
  const log = await logOf(h, reg)
  expect(log.map(({ id, seq }) => [id, seq])).toEqual(
    [0, 4, 15].map((index, n) => [body.data[index].event.id, n + 1]),
  )
  expect(await logOf(h, foreign.reg)).toEqual([])
  expect(await logOf(h, ended.reg)).toEqual([])
  expect((await daySums(reg)).events).toBe(3)
  expect((await daySums(foreign.reg)).events).toBe(0)
})

it('returns 207 when all events are rejected', async () => {
  const { key } = await tirelessReporter(h)
  expect(await batch(key, [{}])).toMatchObject({ status: 207, body: { accepted: 0, rejected: 1 } })
})

it('accepts a body of one megabyte, and rejects one byte more', async () => {
  const { reg, key } = await tirelessReporter(h)
  const text = JSON.stringify({ events: [{ reg, event_type: 'x' }] })
  const post = (bytes: number) =>
    api('POST', '/activity/report/batch', { token: key, body: text.padEnd(bytes) })
  expect((await post(BODY_MAX_BYTES)).status).toBe(201)
  expectError(await post(BODY_MAX_BYTES + 1), 413, 'PAYLOAD_TOO_LARGE', /1048576 bytes/)
  expect(await logOf(h, reg)).toHaveLength(1)
})

it('accepts a thousand events with long metadata', async () => {
  const { reg, key } = await tirelessReporter(h)
  const event = { reg, event_type: 'task_completed', metadata: { note: 'é'.repeat(400) } }
  const { status, body } = await batch(
    key,
    Array.from({ length: EVENTS_MAX }, () => event),
  )
  expect({ status, accepted: body.accepted }).toEqual({ status: 201, accepted: EVENTS_MAX })
  expect((await logOf(h, reg)).at(-1)?.metadata).toEqual(event.metadata)
})

it('numbers the events of each agent separately, without gaps', async () => {
  const { operator, reg, key } = await tirelessReporter(h)
  const [second, third] = await Promise.all([newAgent(operator), newAgent(operator)])
  const regs = [reg, second.reg, third.reg]
  const mixed = Array.from({ length: 60 }, (_, n) => ({ reg: regs[(n * n) % 3], event_type: `type-${n}` }))
  for (const _ of [1, 2]) expect((await batch(key, mixed)).status).toBe(201)
  for (const one of regs) {
    const log = await logOf(h, one)
    const types = mixed.filter((event) => event.reg === one).map(({ event_type }) => event_type)
    expect(log.map(({ event_type }) => event_type)).toEqual([...types, ...types])
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, n) => n + 1))
    const { body } = await api('GET', `/agents/${one}/activity?per_page=50`, { token: operator.token })
    expect(body.pagination.total).toBe(log.length)
  }
})

it('counts downtime between batches, but not between repeated events of one batch', async () => {
  const { reg, key } = await tirelessReporter(h)
  const at = (minutes: number) => new Date(Date.parse('2026-03-03T12:00:00Z') + minutes * 60_000)
  const send = (minutes: number, ...types: [string, string?][]) =>
    batch(
      key,
      types.map(([event_type, severity = 'info']) => ({ reg, event_type, severity })),
      at(minutes),
    )
  // The clock of a request continues from the given time, so seconds are rounded.
  const downMinutes = async () => Math.round((await daySums(reg)).down / 60)
  await send(0, ['startup'], ['startup'])
  await send(60, ['task_completed'], ['startup'])
  await send(100, ['shutdown', 'critical'], ['shutdown', 'info'])
  expect(await downMinutes()).toBe(0)
  await send(110, ['shutdown', 'info'])
  await send(130, ['startup'])
  expect(await downMinutes()).toBe(30)
  await send(135, ['startup'])
  await send(140, ['shutdown', 'info'], ['startup'])
  await send(150, ['shutdown', 'info'])
  await send(200, ['startup'])
  expect(await downMinutes()).toBe(30)
  await send(210, ['startup'], ['shutdown', 'error'])
  await send(230, ['startup'], ['shutdown', 'critical'])
  await send(270, ['startup'])
  expect(await downMinutes()).toBe(90)
})

it('clamps a time earlier than that of the previous event, rather than rejecting it', async () => {
  const { reg, key } = await tirelessReporter(h)
  const later = new Date('2026-03-03T12:00:00Z')
  const first = await batch(key, [{ reg, event_type: 'x' }], later)
  const second = await batch(key, [{ reg, event_type: 'x' }], new Date('2026-03-01T12:00:00Z'))
  expect(second.status).toBe(201)
  expect(second.body.data[0].event.created_at).toBe(first.body.data[0].event.created_at)
})
