import { afterAll, describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { attestedAgent } from '../support/attested.ts'
import { ownStack } from '../support/harness.ts'
import { attributeOf, expectPage, pageReader, textsOf } from '../support/pages.ts'

const own = await ownStack()
afterAll(own.stop)
const read = pageReader(own)

describe('a registry without an agent', () => {
  it('has a start page that invites to register the first one', async () => {
    const page = await read('/')
    expectPage(page, 200)
    expect(page.text).toContain('No agent is registered yet. Yours can be the first.')
    expect(attributeOf(page, 'class="button first"', 'href')).toBe('/console')
    expect(page.html).not.toContain('<h3>')
  })

  it('has a search page that explains agent numbers', async () => {
    const page = await read('/agents')
    expectPage(page, 200)
    expect(textsOf(page, 'h2')).toEqual(['No agent is registered yet', 'What an agent number looks like'])
    expect(textsOf(page, 'dt')).toEqual(['2026', '0001-0042', 'U'])
    expect(textsOf(await read('/agents?class=A'), 'h2')[0]).toBe('No agent found')
  })

  it('has a start page that recommends nobody without a good record', async () => {
    const operator = await own.newOperator()
    for (let n = 0; n < 2; n++) await own.newAgent(operator)
    const page = await read('/')
    expect(page.html).not.toContain('<h3>')
    expect(page.html).toContain('<a href="/agents?status=all">All 2 agents</a>')
  })

  it('omits agents of a suspended operator from the recommended, and from the list that it links to', async () => {
    const { agent, operator, key } = await attestedAgent(own, { now: new Date(Date.now() - 14 * DAY_MS) })
    const events = Array(24).fill({ reg: agent.reg, event_type: 'task_completed', metadata: { quality: 1 } })
    for (let age = 13; age >= 0; age--) {
      const now = new Date(Date.now() - age * DAY_MS)
      await own.api('POST', '/activity/report/batch', { token: key, body: { events }, now })
    }
    await own.cron()
    expect((await read('/')).html).toContain(agent.reg)
    const listed = (await own.api('GET', '/agents/search')).body.pagination.total
    await own.suspend(operator)
    const page = await read('/')
    expect(page.html).not.toContain(agent.reg)
    expect(page.html).toContain(`<a href="/agents?status=all">All ${listed - 1} agents</a>`)
    const list = await read('/agents?status=all')
    expect(list.text).toContain(`${listed - 1} agents`)
    expect(list.html).not.toContain(agent.reg)
  })
})
