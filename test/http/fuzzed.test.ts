import { expect, it } from 'vitest'
import { expectError, shared } from '../support/harness.ts'

const { api, newAgent, newOperator } = shared()

it('omits the Link header of a page if its URL is so long that clients would reject the headers', async () => {
  const operator = await newOperator()
  const name = 'ü'.repeat(200) // six characters each, in four links
  for (const _ of [1, 2, 3]) await newAgent(operator, { name })
  const list = (query: string) =>
    api('GET', `/agents/search?operator=${operator.id}&page=2&per_page=1${query}`)
  expect((await list('')).headers.get('link')?.match(/rel="\w+"/g)).toHaveLength(4)
  const long = await list(`&q=${encodeURIComponent(name)}`)
  expect(long.status).toBe(200)
  expect(long.body.pagination).toMatchObject({ page: 2, total: 3 })
  expect(long.headers.get('link')).toBeNull()
})

it.each([
  'now',
  '1969-12-31T23:59:59.999Z',
  '0000-01-01T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '9991-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '+010000-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.000Z',
])('rejects a test clock outside the range of ids and rows: %s', async (clock) => {
  const { token } = await newOperator()
  const call = { token, body: { name: 'Late', class: 'A' }, headers: { 'X-Test-Now': clock } }
  expectError(await api('POST', '/agents', call), 400, 'VALIDATION_ERROR', /^X-Test-Now/)
})
