import { afterAll, describe, expect, it } from 'vitest'
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

  it('lists the newest agents first while none has a score', async () => {
    const operator = await own.newOperator()
    const [first, second] = [await own.newAgent(operator), await own.newAgent(operator)]
    const page = await read('/')
    expect(page.text).toContain('The newest agents')
    expect(page.html.indexOf(second.reg)).toBeLessThan(page.html.indexOf(first.reg))
    expect(page.html).not.toContain('All 2 agents')
  })

  it('omits agents of a suspended operator from the best, and from the list that it links to', async () => {
    const [gone, present] = [await own.newReporter(), await own.newReporter()]
    const { reg } = await own.newAgent(present.operator)
    const call = { token: present.operator.token, body: { status: 'deactivated' } }
    expect((await own.api('PATCH', `/agents/${reg}`, call)).status).toBe(200)
    const events = Array(12).fill({ reg: gone.reg, event_type: 'task_completed', metadata: { quality: 1 } })
    await own.api('POST', '/activity/report/batch', { token: gone.key, body: { events } })
    await own.cron()
    const before = await read('/')
    expect(before.text).toContain('Agents with the highest scores')
    expect(before.html.indexOf(gone.reg)).toBeLessThan(before.html.indexOf(present.reg))
    expect(before.html).toContain(gone.reg)
    await own.suspend(gone.operator)
    const page = await read('/')
    expect(page.html).toContain(present.reg)
    expect(page.html).not.toContain(gone.reg)
    expect(page.html).toContain('<a href="/agents?status=all">All 4 agents</a>')
    const list = await read('/agents?status=all')
    expect(list.text).toContain('4 agents')
    expect(list.html).toContain(reg)
    expect(list.html).not.toContain(gone.reg)
  })
})
