import { expect, it } from 'vitest'
import { logOf, tirelessReporter, unknownReg, withWrongCheck } from '../support/fill.ts'
import { type ApiResponse, type Body, expectError, shared } from '../support/harness.ts'
import { ISO, UUID } from '../support/shapes.ts'

const h = shared()
const { api, newAgent } = h

const EVENTS_MAX = 1_000
const BODY_MAX_BYTES = 1024 * 1024

const batch = (token: string, events: unknown): Promise<ApiResponse> =>
  api('POST', '/activity/report/batch', { token, body: { events } })

const rejection = (index: number, status: number, code: string, message: RegExp = /./) => ({
  index,
  status,
  error: { code, status, message: expect.stringMatching(message) },
})

it('stores a batch of one event like a single report', async () => {
  const { operator, reg, key } = await tirelessReporter(h)
  const single = await h.report(key, reg, { event_type: 'heartbeat' })
  const { status, body } = await batch(key, [{ reg, event_type: 'heartbeat' }])
  expect(status).toBe(201)
  const event = { ...single, id: UUID, created_at: ISO }
  expect(body).toEqual({ data: [{ index: 0, status: 201, event }], accepted: 1, rejected: 0 })
  const listed = [body.data[0].event, single].map(({ agent_id, ...shown }) => shown)
  for (const caller of [{}, { token: operator.token }])
    expect((await api('GET', `/agents/${reg}/activity`, caller)).body.data).toEqual(listed)
})

it('stores a thousand events of one megabyte in their order, all with the same time', async () => {
  const { reg, key } = await tirelessReporter(h)
  const events = Array.from({ length: EVENTS_MAX }, (_, n) => ({
    reg,
    event_type: n % 2 === 0 ? 'task_completed' : 'task_failed',
    metadata: { n },
  }))
  const { status, body } = await api('POST', '/activity/report/batch', {
    token: key,
    body: JSON.stringify({ events }).padEnd(BODY_MAX_BYTES),
  })
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
  const stored = (index: number) => ({
    index,
    status: 201,
    event: expect.objectContaining({ agent_id: agent.id }),
  })
  expect(body).toEqual({
    data: [
      stored(0),
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
      stored(15),
    ],
    accepted: 3,
    rejected: 13,
  })
  const log = await logOf(h, reg)
  expect(log.map(({ id, seq }) => [id, seq])).toEqual(
    [0, 4, 15].map((index, n) => [body.data[index].event.id, n + 1]),
  )
  const bare = await api('POST', '/activity/report/batch', { token: key, body: [good] })
  expectError(bare, 400, 'VALIDATION_ERROR', /^body: must be an object, \{"events": \[…\]\}$/)
  const long = await batch(key, Array(EVENTS_MAX + 1).fill(good))
  expectError(long, 400, 'VALIDATION_ERROR', /^events: at most 1000 events$/)
  expect(await logOf(h, foreign.reg)).toEqual([])
  expect(await logOf(h, ended.reg)).toEqual([])
})
