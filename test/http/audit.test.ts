import { expect, it } from 'vitest'
import { type Body, type Operator, shared } from '../support/harness.ts'

const { api, sql, newOperator, newAgent, newKey, newPlatform } = shared()
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
  const agent = await newAgent(operator)
  await api('PATCH', `/agents/${agent.reg}`, { token, body: { status: 'deactivated' } })
  const key = await newKey(operator)
  await api('DELETE', `/operators/me/api-keys/${key.id}`, { token })
  const { slug } = await newPlatform(operator)
  await api('PATCH', `/platforms/${slug}`, { token, body: { name: 'Another' } })
  await api('POST', `/platforms/${slug}/webhook-secret`, { token })
  const { status, body } = await list(operator)
  expect(status).toBe(200)
  expect(body.data.map(({ action, target }: Body) => [action, target])).toEqual([
    ['platform.secret_rotated', slug],
    ['platform.updated', slug],
    ['platform.registered', slug],
    ['api_key.revoked', key.id],
    ['api_key.created', key.id],
    ['agent.deactivated', agent.reg],
    ['session.started', token.slice(9, 17)],
  ])
  for (const entry of body.data) {
    expect(entry).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      action: expect.any(String),
      target: expect.any(String),
      created_at: expect.stringMatching(/Z$/),
    })
  }
  expect(body.pagination).toEqual({ page: 1, per_page: 20, total: 7, total_pages: 1 })
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
