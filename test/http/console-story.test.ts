import { expect, it } from 'vitest'
import { openConsole } from '../support/console.ts'
import { freshEmail, freshSlug, shared } from '../support/harness.ts'

const h = shared()

it('the console leads a new operator from a name, agent, domain and key to the first report', async () => {
  const visitor = await openConsole(h, freshEmail())
  const overview = async () => {
    const { text } = await visitor.get('/console')
    return { text, isDone: (text.match(/<span class="hint">done<\/span>/g) ?? []).length }
  }
  expect((await overview()).isDone).toBe(0)
  const steps = [(await overview()).text]
  expect(steps[0]).toContain('href="/console/account">Set your name</a>')

  await visitor.send('/console/account', '/console/account', { name: 'Acme GmbH' })
  expect((await overview()).isDone).toBe(1)

  const { location } = await visitor.send('/console/agents/new', '/console/agents/new', {
    name: 'Invoice Reader',
    class: 'A',
  })
  const path = location?.split('?')[0] ?? ''
  const reg = path.split('/').at(-1) ?? ''
  expect((await overview()).text).toContain(`href="${path}#domain-proof"`)

  const domain = `${freshSlug()}.example.com`
  await visitor.send(path, `${path}/domain`, { domain, method: 'dns' })
  const [, txt] = /id="record-value"[^>]*>([^<]+)</.exec((await visitor.get(path)).text) ?? []
  const name = `_reg-agent.${domain}`
  await fetch(`${h.web_stand_in_url}/records`, { method: 'PUT', body: JSON.stringify({ name, txt }) })
  await visitor.send(path, `${path}/domain/check`, {})
  expect((await overview()).isDone).toBe(3)

  const made = await visitor.send('/console/keys/new', '/console/keys/new', {
    name: 'worker',
    permissions: ['activity:report'],
  })
  const [key = ''] = /reg_live_[0-9A-Za-z]{48}/.exec(made.text) ?? []
  const { text } = await overview()
  expect(text).toMatch(/curl http.*\/api\/v1\/activity\/report/)
  expect(text).toContain(reg)

  await h.report(key, reg)
  const all = await overview()
  expect(all.text).not.toContain('Report the first event')
  expect(all.text).toContain('No open incidents')

  await h.report(key, reg, { event_type: 'incident', severity: 'critical', metadata: { title: 'It broke' } })
  expect((await overview()).text).toMatch(/1 open incident.*It broke/s)

  const out = await visitor.send('/console', '/console/sign-out', {})
  expect(out).toMatchObject({ status: 303, location: '/' })
  expect((await visitor.get(path)).status).toBe(401)
})
