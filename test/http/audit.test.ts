import { expect, it } from 'vitest'
import { type Operator, shared } from '../support/harness.ts'
import { ISO, UUID } from '../support/shapes.ts'

const { api, newOperator, newKey, newPlatform } = shared()

const list = ({ token }: Operator, query = '') => api('GET', `/operators/me/audit-log${query}`, { token })

it('lists the actions on the account, newest first, with exactly these fields, each once over all pages', async () => {
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
  const pages = await Promise.all([1, 2, 3].map((page) => list(operator, `?per_page=4&page=${page}`)))
  expect(pages.map((page) => page.body.data)).toEqual([body.data.slice(0, 4), body.data.slice(4), []])
  for (const page of pages) expect(page.body.pagination).toMatchObject({ total: 6, total_pages: 2 })
  expect(pages[0]?.headers.get('link')).toMatch(/audit-log\?per_page=4&page=2>; rel="next"/)
})
