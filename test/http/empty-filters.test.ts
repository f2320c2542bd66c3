import { expect, it } from 'vitest'
import { newVisitor } from '../support/console.ts'
import { shared } from '../support/harness.ts'

const h = shared()

it('an empty filter changes no page', async () => {
  const { operator, visitor } = await newVisitor(h)
  const [{ reg }, { slug }] = await Promise.all([h.newAgent(operator), h.newPlatform(operator)])
  for (const path of ['/agents?q=&class=&min_score=&page=', `/agents/${reg}?days=`]) {
    expect({ path, status: (await fetch(h.base_url + path)).status }).toEqual({ path, status: 200 })
  }
  for (const path of [
    '/console/agents?status=&page=',
    '/console/audit?action=&page=',
    '/console/keys?page=',
    '/console/notifications?page=',
    '/console/platforms?page=',
    `/console/platforms/${slug}/agents?state=&page=`,
    `/console/platforms/${slug}/deliveries?status=&type=&reg=&from=&to=&page=`,
  ]) {
    expect({ path, status: (await visitor.get(path)).status }).toEqual({ path, status: 200 })
  }
})
