import { describe, expect, it } from 'vitest'
import { DAY_MS, utcDay } from '../../src/lib/time.ts'
import { makeKey, newAgentKey, newProof } from '../support/agent-keys.ts'
import { establish } from '../support/attested.ts'
import { newVisitor, problemAt } from '../support/console.ts'
import { unknownReg } from '../support/fill.ts'
import { freshSlug, type Operator, shared } from '../support/harness.ts'
import { webControl } from '../support/web.ts'

const h = shared()

/** A visitor with an agent. */
async function newOwner(fields: object = {}) {
  const { operator, visitor } = await newVisitor(h)
  const { reg } = await h.newAgent(operator, fields)
  return { operator, visitor, reg: reg as string, path: `/console/agents/${reg}` }
}

const agentsOf = async ({ token }: Operator) =>
  (await h.api('GET', '/operators/me/agents', { token })).body.data

describe('registering an agent in the console', () => {
  const PATH = '/console/agents/new'

  it('redirects to its page, and stores the fields of the form', async () => {
    const { operator, visitor } = await newVisitor(h)
    const sent = await visitor.send(PATH, PATH, {
      name: 'Invoice Reader',
      class: 'S',
      description: 'Reads\r\ninvoices',
      specializations: 'invoices, accounting,',
      homepage_url: 'https://agents.example.com/reader',
    })
    expect(sent).toMatchObject({ status: 303, notice: 'agent-registered.0' })
    expect(sent.headers.get('set-cookie')).toMatch(/^reg_notice=.*; Max-Age=60;/)
    const [, reg] = /^\/console\/agents\/(REG-[\w-]+)$/.exec(sent.location ?? '') ?? []
    expect(await agentsOf(operator)).toMatchObject([
      {
        reg,
        name: 'Invoice Reader',
        class: 'S',
        description: 'Reads\ninvoices',
        specializations: ['invoices', 'accounting'],
        homepage_url: 'https://agents.example.com/reader',
        card_url: null,
        platform_slug: null,
      },
    ])
    const shown = async (path = sent.location ?? '') => (await visitor.get(path)).text
    expect(await shown(PATH)).not.toContain('Its number is permanent.') // a notice belongs to its page
    expect(await shown()).toContain('Its number is permanent.')
    expect(await shown()).not.toContain('Its number is permanent.') // a notice is shown once
  })

  it('shows each error at its field, with the focus on the first, and keeps the input', async () => {
    const { operator, visitor } = await newVisitor(h)
    expect((await visitor.get(PATH)).text).not.toContain('autofocus')
    const input = { name: ' ', class: 'A', description: '<script>', homepage_url: 'http://example.com' }
    const sent = await visitor.send(PATH, PATH, input)
    expect(sent.status).toBe(400)
    expect(sent.text).toMatch(/aria-describedby="name-hint name-problem" aria-invalid="true"/)
    expect(problemAt(sent.text, 'homepage_url')).toContain('https')
    const focused = [...sent.text.matchAll(/<input id="(\w+)"[^>]* autofocus/g)].map(([, name]) => name)
    expect(focused).toEqual(['name', 'homepage_url']) // browsers focus the first
    expect([sent.text.includes('&lt;script&gt;'), sent.text.includes('<script>')]).toEqual([true, false])
    const unknown = await visitor.send(PATH, PATH, { name: 'A', class: 'A', platform_slug: freshSlug() })
    expect(problemAt(unknown.text, 'platform_slug')).toContain('there is no platform')
    expect(await agentsOf(operator)).toEqual([])
    const fields = { ...(await visitor.fieldsOf(PATH, PATH)), name: '' }
    const others = new URLSearchParams(fields).toString().length
    for (const [size, status] of [
      [65_536, 400],
      [65_537, 413],
    ] as const)
      expect((await visitor.post(PATH, { ...fields, name: 'x'.repeat(size - others) })).status).toBe(status)
  })

  it('registers one agent if the same form is sent twice in parallel', async () => {
    const { operator, visitor } = await newVisitor(h)
    const fields = { ...(await visitor.fieldsOf(PATH, PATH)), name: 'Once', class: 'A' }
    const sent = await Promise.all([visitor.post(PATH, fields), visitor.post(PATH, fields)])
    expect(sent.map(({ status }) => status)).toEqual([303, 303])
    expect(sent[0]?.location).toBe(sent[1]?.location)
    expect(await agentsOf(operator)).toHaveLength(1)
  })

  it('says at the quota what to do, before and after the form is sent', async () => {
    const { operator, visitor } = await newVisitor(h)
    const fields = { ...(await visitor.fieldsOf(PATH, PATH)), name: 'four', class: 'A' }
    for (const name of ['one', 'two', 'three']) await h.newAgent(operator, { name })
    const rejected = await visitor.post(PATH, fields)
    expect(rejected.status).toBe(402)
    expect(rejected.text).toMatch(/deactivate one, or ask the administrator/)
    const { text } = await visitor.get(PATH)
    expect(text).toMatch(/as many as your tier allows/)
    expect(text).not.toContain('name="class"')
    await h.sql('update operators set agent_limit = 10000, active_agents = 10000 where id = $1', [
      operator.id,
    ])
    expect((await visitor.get(PATH)).text).toContain('no longer need, which is permanent.</p>')
  })
})

it('the list of agents filters by status, and leads back from beyond its last page', async () => {
  const { operator, visitor, reg } = await newOwner()
  const ended = await h.newAgent(operator)
  await h.api('PATCH', `/agents/${ended.reg}`, { token: operator.token, body: { status: 'deactivated' } })
  const shown = async (query: string) => {
    const { text } = await visitor.get(`/console/agents${query}`)
    return [...text.matchAll(/href="\/console\/agents\/(REG[^"]*)"/g)].map(([, one]) => one)
  }
  expect(await shown('')).toEqual([ended.reg, reg])
  expect(await shown('?status=active')).toEqual([reg])
  expect(await shown('?status=deactivated')).toEqual([ended.reg])
  expect(await visitor.get('/console/agents?status=gone')).toMatchObject({ status: 400 })
  expect((await visitor.get('/console/agents?page=9')).text).toContain('href="/console/agents?page=1"')
})

describe('the page of an agent', () => {
  it('shows the whole log, and what good work of each source would lead to', async () => {
    const { operator, visitor, reg, path } = await newOwner()
    const keys = async () => (await visitor.get(`${path}/activity`)).text.match(/reg_live_\w{8}…/g)
    const { id: revoked } = await h.newKey(operator)
    await h.api('DELETE', `/operators/me/api-keys/${revoked}`, { token: operator.token })
    const { id: expired } = await h.newKey(operator)
    await h.sql(
      `update api_keys set created_at = now() - interval '2 days', expires_at = now() - interval '1 day' where id = $1`,
      [expired],
    )
    await h.newKey(operator, ['read'])
    expect(await keys()).toBeNull()
    expect((await visitor.get(`${path}/activity`)).text).toContain('None of your API keys has the permission')
    const { key } = await h.newKey(operator)
    expect(await keys()).toEqual([`${key.slice(0, 17)}…`])
    const event = { reg, event_type: 'task_completed', metadata: { quality: 1, response_ms: 500 } }
    await h.reportBatch(key, Array(60).fill(event))
    const { text } = await visitor.get(`${path}/activity`)
    expect(text).toMatch(/1–20 of 60.*Report events/s)
    expect((await visitor.get(`${path}/activity?page=3`)).text).toContain('41–60 of 60')
    const overview = (await visitor.get(path)).text
    const [own, peer, independent] = [...overview.matchAll(/<b>(\d+\.\d)<\/b> \(\+/g)].map(([, to]) =>
      Number(to),
    )
    expect(own).toBeLessThanOrEqual(59)
    expect(peer).toBeGreaterThan(59)
    expect(independent).toBeGreaterThanOrEqual(peer ?? 0)
  })

  it('changes its texts, clears fields that are left empty, and keeps the input of a rejected form', async () => {
    const { visitor, operator, reg, path } = await newOwner({ card_url: 'https://example.com/card' })
    const settings = `${path}/settings`
    const texts = {
      name: 'New name',
      description: '',
      specializations: 'one',
      homepage_url: '',
      card_url: '',
    }
    const sent = await visitor.send(settings, settings, texts)
    expect(sent).toMatchObject({ status: 303, location: settings, notice: 'agent-changed.0' })
    expect(await agentsOf(operator)).toMatchObject([
      { reg, name: 'New name', specializations: ['one'], card_url: null },
    ])
    const rejected = await visitor.send(settings, settings, { name: 'x', specializations: 'y'.repeat(51) })
    expect(rejected.status).toBe(400)
    expect(problemAt(rejected.text, 'specializations')).toContain('at most 50 characters')
    expect(rejected.text).toContain('y'.repeat(51))
  })

  it('joins and leaves a platform', async () => {
    const { visitor, path, reg } = await newOwner()
    const { slug } = await h.newPlatform(await h.newOperator())
    await establish(h, slug) // agents leave others at once
    const rejected = await visitor.send(`${path}/settings`, `${path}/platform`, {
      platform_slug: freshSlug(),
    })
    expect(rejected.status).toBe(400)
    expect(rejected.text).toMatch(/id="platform_slug-problem"/)
    await visitor.send(`${path}/settings`, `${path}/platform`, { platform_slug: slug })
    expect((await h.api('GET', `/agents/${reg}`)).body).toMatchObject({ platform_slug: slug })
    const claimed = (await visitor.get(`${path}/settings`)).text
    expect(claimed).toContain('this is shown as your claim')
    expect(claimed).toContain(`name="platform_slug" type="text" value="${slug}"`)
    await visitor.send(`${path}/settings`, `${path}/platform`, { platform_slug: '' })
    expect((await visitor.get(`${path}/settings`)).text).toMatch(/It leaves on <[^>]*>[-\d]+<\/time>\. To/)
    const { slug: next } = await h.newPlatform(await h.newOperator())
    await visitor.send(`${path}/settings`, `${path}/platform`, { platform_slug: next })
    expect((await visitor.get(`${path}/settings`)).text).toContain(
      `and joins <span class="mono">${next}</span>. To`,
    )
  })

  it('resolves an incident, which requires a resolution text', async () => {
    const { operator, visitor, reg, path } = await newOwner()
    const { key } = await h.newKey(operator)
    await h.reportBatch(key, Array(21).fill({ reg, event_type: 'incident' }))
    const { body } = await h.api('GET', `/agents/${reg}/incidents`)
    const { incident_id: id } = body.data[0]
    const incidents = `${path}/incidents`
    const field = `resolution-${id}`
    expect((await visitor.get(incidents)).text.match(/<li class="card"/g)).toHaveLength(20)
    const rejected = await visitor.send(incidents, `${incidents}/${id}`, { [field]: ' \u202e' })
    expect(rejected.status).toBe(400)
    expect(rejected.text).toContain(`id="${field}-problem"`)
    expect(rejected.text.match(/>\n \u202e<\/textarea>/g)).toHaveLength(1)
    const sent = await visitor.send(incidents, `${incidents}/${id}`, { [field]: 'Fixed' })
    expect(sent).toMatchObject({ status: 303, location: incidents, notice: 'incident-resolved.0' })
    const after = await h.api('GET', `/agents/${reg}/incidents`)
    expect(after.body.data[0]).toMatchObject({ status: 'resolved', resolution: 'Fixed' })
  })

  it('deactivates it after its number is typed, and then shows no form that changes it', async () => {
    const { visitor, reg, path } = await newOwner()
    const action = `${path}/deactivate`
    const shown = await visitor.fieldsOf(`${path}/keys`, `${path}/keys`)
    const rejected = await visitor.send(action, action, { number: unknownReg() })
    expect(rejected.status).toBe(400)
    expect((await h.api('GET', `/agents/${reg}`)).body.status).toBe('active')
    const sent = await visitor.send(action, action, { number: ` ${reg.toLowerCase()} ` })
    expect(sent).toMatchObject({ status: 303, location: path, notice: 'agent-deactivated.0' })
    expect((await h.api('GET', `/agents/${reg}`)).body.status).toBe('deactivated')
    const late = await visitor.post(`${path}/keys`, { ...shown, proof: await newProof(h, reg) })
    expect(late.status).toBe(410)
    expect(late.text).toMatch(/is deactivated and gets no new keys\. Nothing was changed\./)
    for (const tab of ['', '/activity', '/incidents', '/domain', '/keys', '/settings']) {
      const page = await visitor.get(path + tab)
      expect(page.text.match(/<form /g), tab).toHaveLength(1) // to sign out
      expect(page.text).not.toContain('Report events')
    }
    expect((await visitor.get('/console')).text).toContain(`href="${path}"`) // also without an active agent
  })
})

it('the domain of an agent is verified by a TXT record, and its challenge can be canceled and made again', async () => {
  const recordOf = (text: string) => /id="record-value"[^>]*>([^<]+)</.exec(text)?.[1]
  const { visitor, path: agent, reg } = await newOwner()
  const path = `${agent}/domain`
  const shown = async () => (await visitor.get(path)).text
  expect(await shown()).toMatch(/<details open><summary>Verify a domain</)
  for (const domain of ['', 'localhost', 'https://', '127.0.0.1', 'ftp://agents.example.com']) {
    const sent = await visitor.send(path, path, { domain, method: 'dns' })
    expect({ domain, status: sent.status }).toEqual({ domain, status: 400 })
    expect(problemAt(sent.text, 'domain')).toMatch(/\S/)
  }
  await visitor.send(path, path, { domain: 'agents.example.com', method: 'http' })
  expect(await shown()).toContain('https://agents.example.com/.well-known/reg-agent.json')
  const check = await visitor.fieldsOf(path, `${path}/check`)
  const cancel = await visitor.fieldsOf(path, `${path}/cancel`)
  for (const notice of ['challenge-ended.0', undefined])
    expect(await visitor.post(`${path}/cancel`, cancel)).toMatchObject({ location: path, notice })
  const rejected = await visitor.post(`${path}/check`, check)
  expect(rejected.status).toBe(409)
  expect(rejected.text).toContain('has no pending challenge')
  await visitor.send(path, path, { domain: 'agents.example.com', method: 'dns' })
  await h.sql(
    `update ownership_challenges set created_at = now() - interval '9 days', expires_at = now() - interval '2 days'
     where agent_id = (select id from agents where reg = $1)`,
    [reg],
  )
  expect(await shown()).toContain('This challenge expired on')
  expect(await shown()).not.toContain(`action="${path}/check"`)
  const late = await visitor.post(`${path}/check`, check)
  expect(late.status).toBe(409)
  expect(late.text).toContain('The challenge for agents.example.com has expired; create a new one')

  const domain = `${freshSlug()}.example.com`
  const requested = await visitor.send(path, path, {
    domain: ` https://${domain}/reader?x=1 `,
    method: 'dns',
  })
  expect(requested).toMatchObject({ status: 303, location: path, notice: 'challenge-made.0' })
  const missed = await visitor.send(path, `${path}/check`, {})
  expect(missed).toMatchObject({ location: path, notice: 'domain-missed.0' })
  const finding = await shown()
  expect(finding).toContain('<div class="note warn" role="status">')
  expect(finding).toContain(`_reg-agent.${domain} has no TXT record`)
  await visitor.send(path, path, { domain, method: 'dns' })
  expect(await shown()).not.toContain('Last check') // of the challenge before
  const value = recordOf(await shown()) ?? ''
  expect(value).toMatch(`reg-agent=${reg}:`)
  await webControl(h).putRecord(`_reg-agent.${domain}`, value)
  const found = await visitor.send(path, `${path}/check`, {})
  expect(found).toMatchObject({ location: path, notice: 'domain-proved.0' })
  const proved = await shown()
  expect(proved).toContain(`<strong>${domain}</strong>`)
  expect(proved).toContain(`href="/console/keys/new?reg=${reg}"`)
  const setMisses = (n: number) =>
    h.sql(`update ownership_challenges set misses = $2, method = 'http' where domain = $1`, [domain, n])
  await setMisses(1)
  expect(await shown()).toMatch(/verified by a file since .*>The last check did not find it/s)
  await setMisses(2)
  expect(await shown()).toContain('The last 2 checks did not find it')
  expect((await h.api('GET', `/agents/${reg}`)).body).toMatchObject({ domain })
})

it('the keys of an agent are registered by a proof that is made elsewhere, shown to the public, and revoked', async () => {
  const { reg, path: agent, visitor, operator } = await newOwner()
  const path = `${agent}/keys`
  const keys = async () => (await h.api('GET', `/agents/${reg}/keys`)).body.data
  const publicPage = async () => (await fetch(`${h.base_url}/agents/${reg}?days=365`)).text()
  expect(await publicPage()).not.toContain('Signs requests')
  for (const [proof, problem] of [
    [await newProof(h, 'REG-2026-0001-0042-U'), `sub: must be ${reg}`],
    ['<script>', 'malformed'],
    ['ü'.repeat(2_049), 'at most 2048 characters'], // and malformed: the first problem is shown
  ] as const) {
    const sent = await visitor.send(path, path, { proof })
    expect(sent.status).toBe(400)
    expect(problemAt(sent.text, 'proof')).toContain(problem)
    expect(sent.text).not.toContain('<script>')
  }
  expect(await keys()).toEqual([])

  const command = `agentreg agent-keys proof ${reg} --base-url ${h.base_url}`
  expect((await visitor.get(path)).text).toContain(command)
  const pair = await makeKey()
  const { kid } = pair
  const sent = await visitor.send(path, path, { proof: ` ${await newProof(h, reg, new Date(), pair)}\n` })
  expect(sent).toMatchObject({ status: 303, location: path, notice: 'agent-key-added.0' })
  expect((await visitor.get(path)).text).toContain(`<code class="wrap">${kid}</code>`)
  expect(await keys()).toMatchObject([{ kid, status: 'active' }])
  const since = `Signs requests</dt><dd>1 key, since <time[^>]*>${utcDay(new Date())}</time>`
  expect(await publicPage()).toMatch(new RegExp(since))

  const revoke = `${path}/${kid}/revoke`
  expect((await visitor.get(path)).text).toContain(`href="${revoke}"`)
  expect((await visitor.get(revoke)).text).toContain(`<a href="${path}"><bdi>Keys</bdi></a>`)
  expect((await visitor.send(revoke, revoke, { reason: 'other' })).status).toBe(400)
  const revoked = await visitor.send(revoke, revoke, { reason: 'compromised' })
  expect(revoked).toMatchObject({ location: path, notice: 'agent-key-revoked.0' })
  expect(await keys()).toMatchObject([{ kid, status: 'revoked', reason: 'compromised' }])
  const { text } = await visitor.get(path)
  expect(text).not.toContain(`href="${revoke}"`)
  expect(text).toMatch(/Revoked<\/span> <span class="hint">compromised, /)
  const expires_at = new Date(Date.now() + 365 * DAY_MS)
  await newAgentKey(h, operator, reg, { expires_at: expires_at.toISOString() })
  expect((await visitor.get(path)).text).toMatch(
    RegExp(`Active</span> <span class="hint">until <time[^>]*>${utcDay(expires_at)}<`),
  )
})
