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

  const named = await visitor.send('/console/account', '/console/account', { name: 'Acme GmbH' })
  const next = 'href="/console/agents/new">Register an agent</a>'
  expect((await visitor.get(named.location ?? '')).text).toContain(next)
  const renamed = await visitor.send('/console/account', '/console/account', { name: 'Acme' })
  expect((await visitor.get(renamed.location ?? '')).text).not.toContain(next)
  expect((await overview()).isDone).toBe(1)

  const { location } = await visitor.send('/console/agents/new', '/console/agents/new', {
    name: 'Invoice Reader',
    class: 'A',
  })
  const path = location?.split('?')[0] ?? ''
  const reg = path.split('/').at(-1) ?? ''
  expect((await overview()).text).toContain(`href="${path}/domain"`)

  const domain = `${freshSlug()}.example.com`
  const proof = `${path}/domain`
  await visitor.send(proof, proof, { domain, method: 'dns' })
  const [, txt] = /id="record-value"[^>]*>([^<]+)</.exec((await visitor.get(proof)).text) ?? []
  const name = `_reg-agent.${domain}`
  await fetch(`${h.web_stand_in_url}/records`, { method: 'PUT', body: JSON.stringify({ name, txt }) })
  await visitor.send(proof, `${proof}/check`, {})
  expect((await overview()).isDone).toBe(3)

  const made = await visitor.send(`/console/keys/new?reg=${reg}`, '/console/keys/new', {
    name: 'worker',
    permissions: ['activity:report'],
  })
  const [key = ''] = /reg_live_[0-9A-Za-z]{48}/.exec(made.text) ?? []
  expect(made.text).toMatch(new RegExp(`curl http.*/api/v1/activity/report.*Bearer ${key}.*${reg}`, 's'))
  expect((await overview()).text).toMatch(/curl http.*\/api\/v1\/activity\/report/)

  await h.report(key, reg)
  const all = await overview()
  expect(all).toMatchObject({ isDone: 5, text: expect.stringContaining('No open incidents') })
  expect((await visitor.get(path)).text).toContain('aria-label="1 of 10 tasks"')
  const skipped = await visitor.send('/console', '/console/skip', { step: 'platform' })
  expect(skipped.headers.get('set-cookie')).toMatch(/^reg_skipped=platform; .*HttpOnly/)

  await h.report(key, reg, { event_type: 'incident', severity: 'critical', metadata: { title: 'It broke' } })
  expect((await overview()).text).toMatch(/1 open incident.*It broke/s)
})
