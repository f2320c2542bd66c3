import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { type Body, type Operator, shared } from '../support/harness.ts'

const { api, sql, newOperator } = shared()

const PATH = '/operators/me/notifications'
const TYPES = [
  'trust_alert',
  'incident_alert',
  'weekly_digest',
  'kyc_reminder',
  'webhook_disabled',
  'ownership_lost',
]
const START = Date.parse('2026-11-01T00:00:00.000Z')

const list = ({ token }: Operator, query = '') => api('GET', PATH + query, { token })
const readAll = ({ token }: Operator, now?: Date) =>
  api('POST', `${PATH}/read-all`, { token, ...(now && { now }) })

/** Stores notifications one minute apart, in random order; returns them newest first. */
async function notify(operator: Operator, count: number, fields: Body = {}): Promise<Body[]> {
  const rows = Array.from({ length: count }, (_, n) => ({
    id: randomUUID(),
    type: TYPES[n % TYPES.length],
    title: `Number ${n}`,
    body: `What happened ${n}`,
    reg: n % 2 ? 'REG-2026-0001-0042-U' : null,
    read_at: null,
    created_at: new Date(START + n * 60_000).toISOString(),
    ...fields,
  }))
  await sql(
    `insert into notifications (id, operator_id, type, title, body, reg, read_at, created_at)
     select id, $1, type, title, body, reg, read_at, created_at
     from jsonb_to_recordset($2::jsonb) as n (id uuid, type text, title text, body text, reg text,
       read_at timestamptz, created_at timestamptz) order by random()`,
    [operator.id, JSON.stringify(rows)],
  )
  return rows.reverse()
}

it('lists notifications newest first with exactly their fields, and the number of unread ones', async () => {
  const operator = await newOperator()
  const rows = await notify(operator, TYPES.length)
  await notify(operator, 1, { created_at: '2026-10-01T00:00:00.000Z', read_at: '2026-10-02T00:00:00.000Z' })
  const { status, body } = await list(operator)
  expect(status).toBe(200)
  expect(body.data.slice(0, -1)).toEqual(rows)
  expect(body.data.at(-1)).toMatchObject({ read_at: '2026-10-02T00:00:00.000Z' })
  expect({ ...body, data: [] }).toEqual({
    data: [],
    pagination: { page: 1, per_page: 20, total: 7, total_pages: 1 },
    unread_count: 6,
  })
})

it('returns every notification exactly once over all pages, also those of the same time', async () => {
  const operator = await newOperator()
  const rows = await notify(operator, 25)
  await notify(operator, 20, { created_at: new Date(START - 1).toISOString() })
  const pages = await Promise.all([1, 2, 3, 4].map((page) => list(operator, `?page=${page}`)))
  expect(pages.map(({ body }) => body.data.length)).toEqual([20, 20, 5, 0])
  const ids = pages.flatMap(({ body }) => body.data.map(({ id }: Body) => id))
  expect([ids.slice(0, 25), new Set(ids).size]).toEqual([rows.map(({ id }) => id), 45])
  for (const { body } of pages) {
    expect(body).toMatchObject({ pagination: { total: 45, total_pages: 3 }, unread_count: 45 })
  }
  expect((await list(operator, '?per_page=50')).body.data).toHaveLength(45)
})

it('marks all as read, and none a second time', async () => {
  const operator = await newOperator()
  await notify(operator, 25)
  const now = new Date()
  const { status, body } = await readAll(operator, now)
  expect({ status, body }).toEqual({ status: 200, body: { read_count: 25 } })
  const listed = (await list(operator, '?per_page=50')).body
  expect(listed.unread_count).toBe(0)
  const times = new Set(listed.data.map(({ read_at }: Body) => read_at))
  expect(times.size).toBe(1)
  expect(Math.abs(Date.parse(String([...times][0])) - now.getTime())).toBeLessThan(5_000)
  expect((await readAll(operator, new Date(now.getTime() + 60_000))).body).toEqual({ read_count: 0 })
  expect((await list(operator, '?per_page=50')).body).toEqual(listed)
})

it('neither shows nor marks notifications of another operator', async () => {
  const [mine, theirs] = await Promise.all([newOperator(), newOperator()])
  await notify(theirs, 3)
  expect((await list(mine)).body).toMatchObject({ data: [], unread_count: 0, pagination: { total: 0 } })
  expect((await readAll(mine)).body).toEqual({ read_count: 0 })
  expect((await list(theirs)).body.unread_count).toBe(3)
})

it('marks one as read once, also for parallel requests', async () => {
  const operator = await newOperator()
  const [newest, older] = await notify(operator, 2)
  const read = (now = new Date()) => api('POST', `${PATH}/${newest.id}/read`, { token: operator.token, now })
  const now = new Date()
  const first = await read(now)
  expect(first).toMatchObject({
    status: 200,
    body: { ...newest, read_at: expect.stringMatching(/Z$/) },
  })
  expect(Math.abs(Date.parse(first.body.read_at) - now.getTime())).toBeLessThan(5_000)
  const later = Array.from({ length: 20 }, (_, n) => read(new Date(now.getTime() + n * 60_000)))
  for (const { status, body } of await Promise.all(later))
    expect({ status, body }).toEqual({ status: 200, body: first.body })
  expect((await list(operator)).body).toMatchObject({ data: [first.body, older], unread_count: 1 })
})
