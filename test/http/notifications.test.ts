import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { NOTIFICATION_TYPES } from '../../src/db/enums.ts'
import { DAY_MS, HOUR_MS } from '../../src/lib/time.ts'
import { NOON } from '../support/day.ts'
import { type Body, type Operator, shared } from '../support/harness.ts'
import { ISO } from '../support/shapes.ts'

const { api, sql, newOperator } = shared()

const PATH = '/operators/me/notifications'
const START = NOON.getTime()

const list = ({ token }: Operator, query = '') => api('GET', PATH + query, { token })
const readAll = ({ token }: Operator, now?: Date) =>
  api('POST', `${PATH}/read-all`, { token, ...(now && { now }) })

/** Stores notifications one minute apart, in random order; returns them newest first. */
async function notify(operator: Operator, count: number, fields: Body = {}): Promise<Body[]> {
  const rows = Array.from({ length: count }, (_, n) => ({
    id: randomUUID(),
    type: NOTIFICATION_TYPES[n % NOTIFICATION_TYPES.length],
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
  const rows = await notify(operator, NOTIFICATION_TYPES.length)
  const read_at = new Date(START - HOUR_MS).toISOString()
  await notify(operator, 1, { created_at: new Date(START - DAY_MS), read_at })
  const { status, body } = await list(operator)
  expect(status).toBe(200)
  const { data, ...others } = body
  expect(data.slice(0, -1)).toEqual(rows)
  expect(data.at(-1)).toMatchObject({ read_at })
  const total = rows.length + 1
  expect(others).toEqual({
    pagination: { page: 1, per_page: 20, total, total_pages: 1 },
    unread_count: rows.length,
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
  for (const { body } of pages)
    expect(body).toMatchObject({ pagination: { total: 45, total_pages: 3 }, unread_count: 45 })
})

it('marks all as read, none a second time, and none of another operator', async () => {
  const [operator, other] = await Promise.all([newOperator(), newOperator()])
  await notify(operator, 25)
  const now = new Date()
  expect((await readAll(other)).body).toEqual({ read_count: 0 })
  expect(await readAll(operator, now)).toMatchObject({ status: 200, body: { read_count: 25 } })
  const listed = (await list(operator, '?per_page=50')).body
  expect(listed.unread_count).toBe(0)
  const times = [...new Set<string>(listed.data.map(({ read_at }: Body) => read_at))]
  expect(times).toHaveLength(1)
  expect(Math.abs(Date.parse(String(times)) - now.getTime())).toBeLessThan(5_000)
  expect((await readAll(operator, new Date(now.getTime() + 60_000))).body).toEqual({ read_count: 0 })
  expect((await list(operator, '?per_page=50')).body).toEqual(listed)
  expect((await list(other)).body).toMatchObject({ data: [], unread_count: 0, pagination: { total: 0 } })
})

it('marks one as read once, also for parallel requests', async () => {
  const operator = await newOperator()
  const [newest, older] = await notify(operator, 2)
  const read = (now = new Date()) => api('POST', `${PATH}/${newest.id}/read`, { token: operator.token, now })
  const now = new Date()
  const first = await read(now)
  expect(first).toMatchObject({ status: 200, body: { ...newest, read_at: ISO } })
  expect(Math.abs(Date.parse(first.body.read_at) - now.getTime())).toBeLessThan(5_000)
  const later = Array.from({ length: 20 }, (_, n) => read(new Date(now.getTime() + n * 60_000)))
  for (const { status, body } of await Promise.all(later))
    expect({ status, body }).toEqual({ status: 200, body: first.body })
  expect((await list(operator)).body).toMatchObject({ data: [first.body, older], unread_count: 1 })
})
