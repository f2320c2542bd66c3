import { beforeAll, describe, expect, it } from 'vitest'
import { tirelessKey, tirelessReporter } from '../support/fill.ts'
import { type ApiResponse, type Body, expectError, type Operator, shared } from '../support/harness.ts'

const h = shared()
const { api, newOperator, newKey, report, reportBatch } = h

const LOG = 130
const PUBLIC = 50

const list = (reg: string, query: Record<string, string | number> = {}, token?: string) =>
  api('GET', `/agents/${reg}/activity?${new URLSearchParams(query as Record<string, string>)}`, {
    ...(token && { token }),
  })

const idsOf = ({ body }: { body: Body }): string[] => body.data.map((event: Body) => event.id)

describe('an agent with 130 events', () => {
  let operator: Operator
  let reg: string
  let key: string
  let reader: string
  let newestFirst: string[]

  beforeAll(async () => {
    const reporter = await tirelessReporter(h)
    operator = reporter.operator
    reg = reporter.reg
    key = reporter.key
    reader = await tirelessKey(h, operator, ['read'])
    // Every third event is a heartbeat: 17 of them among the newest 50, 44 in all.
    const events = Array.from({ length: LOG }, (_, n) => ({
      reg,
      event_type: n % 3 === 0 ? 'heartbeat' : 'task_completed',
      metadata: { n },
    }))
    newestFirst = (await reportBatch(key, events)).map(({ id }) => id).reverse()
  })

  it('shows the public the 50 newest events, in pages, and no older ones', async () => {
    const pages = await Promise.all([1, 2, 3, 4].map((page) => list(reg, { page })))
    expect(pages.map(({ body }) => body.data.length)).toEqual([20, 20, 10, 0])
    expect(pages.flatMap(idsOf)).toEqual(newestFirst.slice(0, PUBLIC))
    expect(pages[1]?.body.pagination).toEqual({ page: 2, per_page: 20, total: PUBLIC, total_pages: 3 })
    expect(pages[1]?.headers.get('link')).toMatch(/rel="next"/)
    expect(idsOf(await list(reg, { per_page: 50 }))).toEqual(newestFirst.slice(0, PUBLIC))
    expect((await list(reg, { per_page: 50, page: 2 })).body).toEqual({
      data: [],
      pagination: { page: 2, per_page: 50, total: PUBLIC, total_pages: 1 },
    })
  })

  it('filters and counts only these 50 events for the public', async () => {
    const { body } = await list(reg, { type: 'heartbeat', per_page: 50 })
    const expected = Array.from({ length: LOG }, (_, n) => n)
      .slice(-PUBLIC)
      .filter((n) => n % 3 === 0)
    expect(body.data.map((event: Body) => event.metadata.n)).toEqual(expected.reverse())
    expect(body.pagination.total).toBe(expected.length)
    const second = await list(reg, { type: 'heartbeat', per_page: 10, page: 2 })
    expect(second.body.data).toHaveLength(expected.length - 10)
    expect(second.body.pagination.total_pages).toBe(2)
    expect((await list(reg, { from: '2020-01-01' })).body.pagination.total).toBe(PUBLIC)
  })

  it('shows all events to its operator, with a session or a key with read', async () => {
    for (const token of [operator.token, reader]) {
      const pages = await Promise.all([1, 2, 3, 4].map((page) => list(reg, { per_page: 50, page }, token)))
      expect(pages.flatMap(idsOf)).toEqual(newestFirst)
      expect(pages[2]?.body.pagination).toEqual({ page: 3, per_page: 50, total: LOG, total_pages: 3 })
      const typed = await list(reg, { type: 'heartbeat', per_page: 50 }, token)
      expect(typed.body.data).toHaveLength(44)
      expect(typed.body.pagination).toEqual({ page: 1, per_page: 50, total: 44, total_pages: 1 })
    }
  })

  it('shows only the public events to a key without read and to other operators, and no cursor', async () => {
    const other = await newOperator()
    const strangers = [
      (await newKey(operator, ['write', 'activity:report'])).key,
      (await newKey(other, ['read'])).key,
      other.token,
    ]
    const { body } = await list(reg, { per_page: 50 })
    for (const token of strangers) expect((await list(reg, { per_page: 50 }, token)).body).toEqual(body)
    expect((await list(reg, { cursor: '', per_page: 50 })).body).toEqual(body)
    expect((await list(reg, {}, reader)).body).not.toHaveProperty('next_cursor')
  })
})

it('returns every event exactly once by cursor, of one type or all, while new ones are reported', async () => {
  const { reg, key, operator } = await tirelessReporter(h)
  const reported = Array.from({ length: LOG }, (_, n) => ({ reg, event_type: n % 3 === 0 ? 'x' : 'y' }))
  const first = await reportBatch(key, reported)
  const reader = await tirelessKey(h, operator, ['read'])
  for (const type of ['', 'x']) {
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const [response]: [ApiResponse, unknown] = await Promise.all([
        list(reg, { per_page: 7, cursor, type }, reader),
        seen.length > 0 ? reportBatch(key, Array(2).fill({ reg, event_type: 'new' })) : undefined,
      ])
      expect(response.status, response.text).toBe(200)
      seen.push(...idsOf(response))
      expect(seen.length).toBeLessThanOrEqual(LOG)
      cursor = response.body.next_cursor
    }
    const expected = first.filter(({ event_type }) => !type || event_type === type)
    expect(seen).toEqual(expected.map(({ id }) => id).reverse())
  }
})

it('ends with a null cursor, also if the last page is full or the log is empty', async () => {
  const { reg, key, operator } = await tirelessReporter(h)
  const empty = { data: [], pagination: { page: 1, per_page: 20, total: 0, total_pages: 0 } }
  expect((await list(reg)).body).toEqual(empty)
  expect((await list(reg, { cursor: '' }, operator.token)).body).toEqual({ ...empty, next_cursor: null })
  await reportBatch(key, Array(4).fill({ reg, event_type: 'x' }))
  const page = await list(reg, { cursor: '', per_page: 2 }, operator.token)
  const { next_cursor: cursor } = page.body
  expect(cursor).toMatch(/^[\w+/=-]+$/)
  const [, path = ''] = /^<[^>]+\/api\/v1(\/[^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '') ?? []
  const last = await api('GET', path, operator)
  expect(last.body).toEqual((await list(reg, { cursor, per_page: 2 }, operator.token)).body)
  expect([last.body.data.length, last.body.next_cursor, last.headers.get('link')]).toEqual([2, null, null])
})

it('rejects a cursor that the API did not issue', async () => {
  const { reg, operator } = await tirelessReporter(h)
  for (const cursor of ['x', '%%%', 'bnVsbA', 'a'.repeat(65), btoa('before:-1'), btoa('before:1e3')]) {
    expectError(await list(reg, { cursor }, operator.token), 400, 'VALIDATION_ERROR', /^cursor: /)
    expectError(await list(reg, { cursor }), 400, 'VALIDATION_ERROR', /^cursor: /)
  }
})

describe('the filters from and to', () => {
  let reg: string
  let token: string
  /** The creation times as stored: the clock of a request continues from the given time. */
  let stored: string[]

  beforeAll(async () => {
    const reporter = await tirelessReporter(h)
    reg = reporter.reg
    token = await tirelessKey(h, reporter.operator, ['read'])
    stored = []
    for (const time of ['01T00:00', '01T12:00', '02T00:00', '02T12:00'])
      stored.push(
        (await report(reporter.key, reg, { event_type: 'x' }, new Date(`2026-03-${time}Z`))).created_at,
      )
  })
  const between = async (query: Record<string, string>) => {
    const { status, text, body } = await list(reg, query, token)
    expect(status, text).toBe(200)
    expect(body.pagination.total).toBe(body.data.length)
    return body.data
      .map((event: Body) => stored.indexOf(event.created_at))
      .sort((a: number, b: number) => a - b)
  }

  it('"from" is inclusive, and "to" is exclusive', async () => {
    const [, second = '', , fourth = ''] = stored
    expect(await between({ from: second })).toEqual([1, 2, 3])
    expect(await between({ to: second })).toEqual([0])
    expect(await between({ from: second, to: fourth })).toEqual([1, 2])
    expect(await between({ from: second, to: second })).toEqual([])
    expect(await between({ from: fourth, to: second })).toEqual([])
    const justAfter = new Date(Date.parse(second) + 1).toISOString()
    expect(await between({ from: justAfter })).toEqual([2, 3])
    expect(await between({ to: justAfter })).toEqual([0, 1])
    expect(await between({ from: second, type: 'x' })).toEqual([1, 2, 3])
    expect(await between({ from: second, type: 'y' })).toEqual([])
  })

  it('a date without a time means midnight, a time has an offset or is in UTC', async () => {
    expect(await between({ from: '2026-03-02' })).toEqual([2, 3])
    expect(await between({ to: '2026-03-02' })).toEqual([0, 1])
    expect(await between({ from: '2026-03-02T02:00:00+02:00' })).toEqual([2, 3])
    expect(await between({ to: '2026-03-01T19:00:00-05:00' })).toEqual([0, 1])
    expect(await between({ from: '2026-03-02T00:00:00' })).toEqual([2, 3])
    expect(await between({ to: '2026-03-02T00:00' })).toEqual([0, 1])
  })

  it('reject what is no time, with an error that names the parameter', async () => {
    for (const [name, value, message] of [
      ['from', '2026-02-30', /^from: /],
      ['to', '2026-03-01T12:00:00+25:00', /^to: /],
      ['from', '0000-01-01', /^from: .*years 1 to 9999/],
      ['to', '0001-01-01T00:00:00+23:59', /^to: .*years 1 to 9999/],
      ['to', '9999-12-31T23:59:59-23:59', /^to: .*years 1 to 9999/],
    ] as const)
      expectError(await list(reg, { [name]: value }, token), 400, 'VALIDATION_ERROR', message)
  })
})
