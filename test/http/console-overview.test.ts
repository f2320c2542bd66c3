import { expect, it } from 'vitest'
import { newVisitor } from '../support/console.ts'
import { shared } from '../support/harness.ts'
import { pageReader } from '../support/pages.ts'
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
  expect(await textOf('/console')).toMatch(
    />Register an agent<.*>Identity check<.*>Next steps<.*<h2 id="agents">Agents</s,
  )
  await webControl(h).prove(reg, operator)
  const form = `/console/keys/new?reg=${reg}`
  await expectStep(3, `href="${form}"`)

  const fields = { name: 'worker', permissions: ['activity:report'] }
  const made = await visitor.send(form, '/console/keys/new', fields)
  const [key = ''] = /reg_live_[0-9A-Za-z]{48}/.exec(made.text) ?? []
  expect(made.text).toContain(`href="${path}">Back to the agent<`)
  expect(made.text).toMatch(new RegExp(`curl http.*/api/v1/activity/report.*Bearer ${key}.*${reg}`, 's'))
  await expectStep(4, `curl ${h.base_url}/api/v1/activity/report`)
  await h.report(key, reg)
  await expectStep(5, 'No open incidents')
  expect(await textOf(path)).toContain('aria-label="1 of 10 tasks"')
  const skipped = await visitor.send('/console', '/console/skip', { step: 'platform' })
  expect(skipped.headers.get('set-cookie')).toMatch(/^reg_skipped=platform; Max-Age=31536000; .*HttpOnly/)
  const read = pageReader(h)
  const withoutPlatform = { headers: { Cookie: `${visitor.cookie}; reg_skipped=platform` } }
  expect((await read('/console', withoutPlatform)).text).not.toContain('of 6 done')

  await h.report(key, reg, { event_type: 'incident', severity: 'critical', metadata: { title: 'It broke' } })
  const troubled = await textOf('/console')
  expect(troubled).toMatch(/1 open incident.*It broke/s)
  expect(troubled).not.toContain('No open incidents')
  await h.reportBatch(key, Array(5).fill({ reg, event_type: 'incident' }))
  expect(await textOf('/console')).toMatch(/6 open incidents.*and 1 more/s)
})

it('the overview does not ask again for a step that was skipped, and names no agent if none is active', async () => {
  const { operator, visitor } = await newVisitor(h)
  const { reg } = await h.newAgent(operator)
  const { token } = operator
  await h.api('PATCH', `/agents/${reg}`, { token, body: { status: 'deactivated' } })
  const stepsWithout = async (skipped: string) => {
    const headers = { Cookie: `${visitor.cookie}; reg_skipped=${skipped}` }
    return pageReader(h)('/console', { headers })
  }
  const domain = await stepsWithout('name')
  expect(domain.text).toMatch(
    / Next steps 1 of 6 done Set your name skipped Register your first agent done Verify your domain One DNS record .* Skip this step Create an API key Report the first event Let a platform report Active /,
  )
  expect(domain.html).toContain('href="/console/agents">Verify a domain<')
  const key = await stepsWithout('name.domain')
  expect(key.html).toContain('href="/console/keys/new">Create an API key<')
  expect((await stepsWithout('name.domain.key')).text).not.toContain('curl')
})

it('the overview lists eight agents, with a link to all, and says that the last identity check failed', async () => {
  const { operator, visitor } = await newVisitor(h, { tier: 'pro' })
  const { reg: first } = await h.newAgent(operator)
  for (let n = 1; n < 8; n++) await h.newAgent(operator)
  const agentsOn = async () => {
    const { text } = await visitor.get('/console')
    return [text.match(/<th scope="row">/g)?.length, text.includes('>All 9<'), text.includes('>All ')]
  }
  expect(await agentsOn()).toEqual([8, false, false])
  await h.newAgent(operator)
  expect(await agentsOn()).toEqual([8, true, true])
  const headers = { Cookie: `${visitor.cookie}; reg_skipped=name.domain` }
  expect((await pageReader(h)('/console', { headers })).html).toContain(
    `href="/console/keys/new?reg=${first}"`,
  )
  await h.sql(`update operators set kyc_status = 'failed' where id = $1`, [operator.id])
  expect((await visitor.get('/console')).text).toContain('The last check failed.')
})
