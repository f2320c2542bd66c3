import { expect, it } from 'vitest'
import { newVisitor } from '../support/console.ts'
import { shared } from '../support/harness.ts'

const h = shared()
const { api, newAgent, newOperator } = h

it('omits the Link header of a page if its URL is so long that clients would reject the headers', async () => {
  const operator = await newOperator()
  const name = 'ü'.repeat(200) // six characters each, in four links
  for (const _ of [1, 2, 3]) await newAgent(operator, { name })
  const list = (query: string) =>
    api('GET', `/agents/search?operator=${operator.id}&page=2&per_page=1${query}`)
  expect((await list('')).headers.get('link')?.match(/rel="\w+"/g)).toHaveLength(4)
  const long = await list(`&q=${encodeURIComponent(name)}`)
  expect([long.status, long.headers.get('link')]).toEqual([200, null])
  expect(long.body.pagination).toMatchObject({ page: 2, total: 3 })
})

it('an empty filter changes no page', async () => {
  const { operator, visitor } = await newVisitor(h)
  const [{ reg }, { slug }] = await Promise.all([newAgent(operator), h.newPlatform(operator)])
  for (const path of [
    '/agents?q=&class=&min_score=&page=',
    `/agents/${reg}?days=`,
    '/console/agents?status=&page=',
    '/console/audit?action=&page=',
    '/console/keys?page=',
    '/console/notifications?page=',
    '/console/platforms?page=',
    `/console/platforms/${slug}/agents?state=&page=`,
    `/console/platforms/${slug}/deliveries?status=&type=&reg=&from=&to=&page=`,
  ])
    expect([path, (await visitor.get(path)).status]).toEqual([path, 200])
})
