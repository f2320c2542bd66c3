import { expect, it } from 'vitest'
import { newVisitor } from '../support/console.ts'
import { shared } from '../support/harness.ts'
import { webControl } from '../support/web.ts'

const h = shared()

it('the overview of the console leads a new operator to the first report, and names open incidents', async () => {
  const { operator, visitor } = await newVisitor(h)
  const textOf = async (path: string) => (await visitor.get(path)).text
  const expectStep = async (done: number, instructions: string) => {
    const text = await textOf('/console')
    expect(text.match(/<span class="hint">done<\/span>/g) ?? []).toHaveLength(done)
    expect(text).toContain(instructions)
  }
  const rename = async (name: string) => {
    const { location } = await visitor.send('/console/account', '/console/account', { name })
    return textOf(location ?? '')
  }

  await expectStep(0, 'href="/console/account">Set your name</a>')
  const next = 'href="/console/agents/new">Register an agent</a>'
  expect(await rename('Acme GmbH')).toContain(next)
  expect(await rename('Acme')).not.toContain(next)
  await expectStep(1, next)
  const { reg } = await h.newAgent(operator)
  const path = `/console/agents/${reg}`
  await expectStep(2, `href="${path}/domain"`)
  await webControl(h).prove(reg, operator)
  const form = `/console/keys/new?reg=${reg}`
  await expectStep(3, `href="${form}"`)

  const fields = { name: 'worker', permissions: ['activity:report'] }
  const made = await visitor.send(form, '/console/keys/new', fields)
  const [key = ''] = /reg_live_[0-9A-Za-z]{48}/.exec(made.text) ?? []
  expect(made.text).toMatch(new RegExp(`curl http.*/api/v1/activity/report.*Bearer ${key}.*${reg}`, 's'))
  await expectStep(4, `curl ${h.base_url}/api/v1/activity/report`)
  await h.report(key, reg)
  await expectStep(5, 'No open incidents')
  expect(await textOf(path)).toContain('aria-label="1 of 10 tasks"')
  const skipped = await visitor.send('/console', '/console/skip', { step: 'platform' })
  expect(skipped.headers.get('set-cookie')).toMatch(/^reg_skipped=platform; .*HttpOnly/)

  await h.report(key, reg, { event_type: 'incident', severity: 'critical', metadata: { title: 'It broke' } })
  expect(await textOf('/console')).toMatch(/1 open incident.*It broke/s)
  await h.reportBatch(key, Array(6).fill({ reg, event_type: 'incident' }))
  expect(await textOf('/console')).toMatch(/7 open incidents.*and 2 more/s)
})
