import { expect, it } from 'vitest'
import { type Body, type Operator, shared } from '../support/harness.ts'
import { ISO, UUID } from '../support/shapes.ts'

const { api, sql, newOperator, newKey, newPlatform } = shared()
const START = Date.parse('2026-11-01T00:00:00.000Z')

const list = ({ token }: Operator, query = '') => api('GET', `/operators/me/audit-log${query}`, { token })

/** Stores entries one minute apart, all older than the entries of the operator's own actions. */
const fill = ({ id }: Operator, count: number) =>
  sql(
    `insert into audit_log (id, operator_id, action, target, created_at)
     select gen_random_uuid(), $1, 'api_key.created', n::text, $2::timestamptz - make_interval(mins => n)
     from generate_series(1, $3) n order by random()`,
    [id, new Date(START).toISOString(), count],
  )

it('lists the actions on the account, newest first, with exactly these fields', async () => {
  const [operator, other] = await Promise.all([newOperator(), newOperator()])
  await newKey(other)
  const { token } = operator
  const key = await newKey(operator)
  await api('DELETE', `/operators/me/api-keys/${key.id}`, { token })
  const { slug } = await newPlatform(operator)
  await api('PATCH', `/platforms/${slug}`, { token, body: { name: 'Another' } })
  await api('POST', `/platforms/${slug}/webhook-secret`, { token })
  const { status, body } = await list(operator)
  expect(status).toBe(200)
  expect(body.data).toEqual(
    [
      ['platform.secret_rotated', slug],
      ['platform.updated', slug],
      ['platform.registered', slug],
      ['api_key.revoked', key.id],
      ['api_key.created', key.id],
      ['session.started', token.slice(9, 17)],
    ].map(([action, target]) => ({ id: UUID, action, target, created_at: ISO })),
  )
  for (const secret of [token.slice(17), key.key.slice(17)])
    expect(JSON.stringify(body)).not.toContain(secret)
})

it('returns every entry exactly once over all pages', async () => {
  const operator = await newOperator()
  await fill(operator, 44)
  const pages = await Promise.all([1, 2, 3, 4].map((page) => list(operator, `?page=${page}`)))
  expect(pages.map(({ body }) => body.data.length)).toEqual([20, 20, 5, 0])
  const entries = pages.flatMap(({ body }) => body.data)
  expect(entries[0].action).toBe('session.started')
  expect(entries.slice(1).map(({ target }: Body) => Number(target))).toEqual(
    Array.from({ length: 44 }, (_, n) => n + 1),
  )
  for (const { body } of pages) expect(body.pagination).toMatchObject({ total: 45, total_pages: 3 })
  expect(pages[0]?.headers.get('link')).toMatch(/audit-log\?page=2>; rel="next"/)
})
