import { describe, expect, it } from 'vitest'
import { openConsole } from '../support/console.ts'
import { freshWord } from '../support/fill.ts'
import { shared } from '../support/harness.ts'

const h = shared()
const { operator, reg, key } = await h.newReporter()
const { slug } = await h.newPlatform(operator)

describe('an empty filter', () => {
  it('excludes nothing from a search', async () => {
    const specialization = freshWord()
    const agent = await h.newAgent(operator, { specializations: [specialization] })
    const filters =
      'q=&class=&operator=&domain=&platform=&status=&ownership_status=&min_score=&page=&per_page='
    const { body } = await h.api('GET', `/agents/search?specialization=${specialization}&${filters}`)
    expect(body).toMatchObject({ data: [{ reg: agent.reg }], pagination: { page: 1, per_page: 20 } })
  })

  it('excludes nothing from an activity log, in which an empty cursor still requests the first page', async () => {
    await h.report(key, reg, { event_type: 'tea_served' })
    const path = `/agents/${reg}/activity?type=&from=&to=`
    expect((await h.api('GET', path)).body.data).toMatchObject([{ event_type: 'tea_served' }])
    const paged = await h.api('GET', `${path}&cursor=`, { token: operator.token })
    expect(paged.body).toMatchObject({ data: [{ event_type: 'tea_served' }], next_cursor: null })
  })

  it('changes no page', async () => {
    for (const path of ['/agents?q=&class=&min_score=&page=', `/agents/${reg}?days=`]) {
      expect({ path, status: (await fetch(h.base_url + path)).status }).toEqual({ path, status: 200 })
    }
    const visitor = await openConsole(h, operator.email)
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
})
