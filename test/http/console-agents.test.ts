import { describe, expect, it } from 'vitest'
import { establish } from '../support/attested.ts'
import { openConsole } from '../support/console.ts'
import { freshEmail, freshSlug, type Harness, shared } from '../support/harness.ts'

const h = shared()
const HOSTILE = `"><script>alert('x')</script>&`

/** An operator who is signed in to the console and has a token for the API. */
async function newVisitor(options: Parameters<Harness['newOperator']>[0] = {}) {
  const operator = await h.newOperator({ email: freshEmail(), ...options })
  return { operator, visitor: await openConsole(h, operator.email) }
}

/** A visitor with an agent. */
async function newOwner(fields: object = {}) {
  const { operator, visitor } = await newVisitor()
  const { reg } = await h.newAgent(operator, fields)
  return { operator, visitor, reg: reg as string, path: `/console/agents/${reg}` }
}

describe('registering an agent in the console', () => {
  const PATH = '/console/agents/new'

  it('redirects to its page, and stores the fields of the form', async () => {
    const { operator, visitor } = await newVisitor()
    expect((await visitor.get('/console/agents')).text).toContain('No agents yet')
    const sent = await visitor.send(PATH, PATH, {
      name: 'Invoice Reader',
      class: 'S',
      description: 'Reads\r\ninvoices',
      specializations: 'invoices, accounting,',
      homepage_url: 'https://agents.example.com/reader',
    })
    expect(sent).toMatchObject({ status: 303 })
    const [, reg] =
      /^\/console\/agents\/(REG-[\w-]+)\?notice=agent-registered$/.exec(sent.location ?? '') ?? []
    const { body } = await h.api('GET', '/operators/me/agents', { token: operator.token })
    expect(body.data).toMatchObject([
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
    const page = await visitor.get(sent.location ?? '')
    expect(page).toMatchObject({ status: 200 })
    expect(page.text).toContain('Its number is permanent.')
    const again = await visitor.get(sent.location ?? '') // a notice is shown once
    expect(again.text).not.toContain('Its number is permanent.')
  })

  it('says what is public before it asks for anything', async () => {
    const { operator, visitor } = await newVisitor()
    const { text } = await visitor.get(PATH)
    expect(text).toContain('<strong>links them to each other permanently</strong>')
    expect(text).toContain('it changes neither score nor limits')
    const { reg } = await h.newAgent(operator)
    const page = await visitor.get(`/console/agents/${reg}/activity`)
    expect(page.text).toContain('The newest 50 events of an agent are public')
    expect((await visitor.get('/console/account')).text).not.toContain('count for more')
  })

  it('puts the focus on the first invalid field', async () => {
    const { visitor } = await newVisitor()
    expect((await visitor.get(PATH)).text).not.toContain('autofocus')
    const sent = await visitor.send(PATH, PATH, { name: '', class: 'A', homepage_url: 'no URL' })
    const focused = [...sent.text.matchAll(/<input id="(\w+)"[^>]* autofocus/g)].map(([, name]) => name)
    expect(focused).toEqual(['name', 'homepage_url']) // browsers focus the first
  })

  it('lists no page beyond the last one without a way back', async () => {
    const { operator, visitor } = await newVisitor()
    await h.newAgent(operator)
    const { text } = await visitor.get('/console/agents?page=9')
    expect(text).toContain('Page 9 is beyond the last page.')
    expect(text).toMatch(/href="\/console\/agents\?page=1">Last page</)
    expect(text).not.toContain('No agents here.')
  })

  it('shows an error at the field, and keeps the input', async () => {
    const { operator, visitor } = await newVisitor()
    const sent = await visitor.send(PATH, PATH, {
      name: ' ',
      class: 'A',
      description: HOSTILE,
      homepage_url: 'http://example.com',
    })
    expect(sent.status).toBe(400)
    expect(sent.text).toMatch(/aria-describedby="name-hint name-problem" aria-invalid="true"/)
    expect(sent.text).toMatch(/id="homepage_url-problem">[^<]*https/)
    expect(sent.text).toContain('&lt;script&gt;')
    expect(sent.text).not.toContain('<script>alert')
    expect((await h.api('GET', '/operators/me/agents', { token: operator.token })).body.data).toEqual([])
  })

  it('shows at its field that the platform does not exist', async () => {
    const { visitor } = await newVisitor()
    const sent = await visitor.send(PATH, PATH, { name: 'A', class: 'A', platform_slug: freshSlug() })
    expect(sent.status).toBe(400)
    expect(sent.text).toMatch(/id="platform_slug-problem">there is no platform/)
  })

  it('registers one agent if the same form is sent twice in parallel', async () => {
    const { operator, visitor } = await newVisitor()
    const fields = { ...(await visitor.fieldsOf(PATH, PATH)), name: 'Once', class: 'A' }
    const sent = await Promise.all([visitor.post(PATH, fields), visitor.post(PATH, fields)])
    expect(sent.map(({ status }) => status)).toEqual([303, 303])
    expect(sent[0]?.location).toBe(sent[1]?.location)
    const { body } = await h.api('GET', '/operators/me/agents', { token: operator.token })
    expect(body.data).toHaveLength(1)
  })

  it('says at the quota what to do, before and after the form is sent', async () => {
    const { operator, visitor } = await newVisitor()
    for (const name of ['one', 'two']) await h.newAgent(operator, { name })
    const fields = { ...(await visitor.fieldsOf(PATH, PATH)), name: 'four', class: 'A' }
    await h.newAgent(operator, { name: 'three' })
    const rejected = await visitor.post(PATH, fields)
    expect(rejected.status).toBe(402)
    expect(rejected.text).toMatch(/deactivate one, or ask the administrator/)
    const page = await visitor.get(PATH)
    expect(page.text).toMatch(/as many as your tier allows/)
    expect(page.text).not.toContain('name="class"')
  })
})

describe('the list of agents', () => {
  it('filters by status, and rejects an unknown status', async () => {
    const { operator, visitor, reg } = await newOwner({ name: 'Active one' })
    const ended = await h.newAgent(operator, { name: 'Ended one' })
    await h.api('PATCH', `/agents/${ended.reg}`, { token: operator.token, body: { status: 'deactivated' } })
    const shown = async (query: string) => {
      const { text } = await visitor.get(`/console/agents${query}`)
      return [reg, ended.reg].filter((one) => text.includes(one))
    }
    expect(await shown('')).toEqual([reg, ended.reg])
    expect(await shown('?status=active')).toEqual([reg])
    expect(await shown('?status=deactivated')).toEqual([ended.reg])
    expect(await visitor.get('/console/agents?status=gone')).toMatchObject({ status: 400 })
  })
})

describe('the page of an agent', () => {
  it('shows the whole log, and what good work of each source would lead to', async () => {
    const { operator, visitor, reg, path } = await newOwner()
    const { key } = await h.newKey(operator)
    const event = { reg, event_type: 'task_completed', metadata: { quality: 1, response_ms: 500 } }
    const events = Array.from({ length: 60 }, () => event)
    await h.api('POST', '/activity/report/batch', { token: key, body: { events } })
    const { text } = await visitor.get(`${path}/activity`)
    expect(text).toContain('1–20 of 60')
    expect((await visitor.get(`${path}/activity?page=3`)).text).toContain('41–60 of 60')
    const overview = (await visitor.get(path)).text
    const [own, peer, independent] = [...overview.matchAll(/<b>(\d+\.\d)<\/b> \(\+/g)].map(([, to]) =>
      Number(to),
    )
    expect(own).toBeLessThanOrEqual(59)
    expect(peer).toBeGreaterThan(59)
    expect(independent).toBeGreaterThanOrEqual(peer ?? 0)
  })

  it('changes its texts, and clears fields that are left empty', async () => {
    const { visitor, operator, reg, path } = await newOwner({ card_url: 'https://example.com/card' })
    const settings = `${path}/settings`
    const sent = await visitor.send(settings, settings, {
      name: 'New name',
      description: '',
      specializations: 'one',
      homepage_url: '',
      card_url: '',
    })
    expect(sent).toMatchObject({ status: 303, location: `${settings}?notice=agent-changed` })
    const { body } = await h.api('GET', '/operators/me/agents', { token: operator.token })
    expect(body.data[0]).toMatchObject({ reg, name: 'New name', specializations: ['one'], card_url: null })
  })

  it('keeps the input of a rejected form', async () => {
    const { visitor, path } = await newOwner()
    const settings = `${path}/settings`
    const sent = await visitor.send(settings, settings, {
      name: 'x'.repeat(256),
      specializations: 'y'.repeat(51),
    })
    expect(sent.status).toBe(400)
    expect(sent.text).toMatch(/id="name-problem">at most 255 characters/)
    expect(sent.text).toMatch(/id="specializations-problem">at most 50 characters/)
    expect(sent.text).toContain('x'.repeat(256))
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
    await establish(h, slug)
    await visitor.send(`${path}/settings`, `${path}/platform`, { platform_slug: '' })
    expect((await visitor.get(`${path}/settings`)).text).toMatch(/It leaves on/)
  })

  it('resolves an incident, which requires a resolution text', async () => {
    const { operator, visitor, reg, path } = await newOwner()
    const { key } = await h.newKey(operator)
    const metadata = { title: HOSTILE, description: HOSTILE }
    await h.report(key, reg, { event_type: 'incident', severity: 'error', metadata })
    const { body } = await h.api('GET', `/agents/${reg}/incidents`)
    const { incident_id: id } = body.data[0]
    const incidents = `${path}/incidents`
    expect((await visitor.get(incidents)).text).not.toContain('<script>alert')
    const field = `resolution-${id}`
    const rejected = await visitor.send(incidents, `${incidents}/${id}`, { [field]: ' ' })
    expect(rejected.status).toBe(400)
    expect(rejected.text).toContain(`id="${field}-problem"`)
    const sent = await visitor.send(incidents, `${incidents}/${id}`, { [field]: 'Fixed' })
    expect(sent).toMatchObject({ status: 303, location: `${incidents}?notice=incident-resolved` })
    const after = await h.api('GET', `/agents/${reg}/incidents`)
    expect(after.body.data[0]).toMatchObject({ status: 'resolved', resolution: 'Fixed' })
  })

  it('deactivates it after its number is typed, and then shows no form that changes it', async () => {
    const { visitor, reg, path } = await newOwner()
    const action = `${path}/deactivate`
    const rejected = await visitor.send(action, action, { number: 'REG-2026-0001-0001-B' })
    expect(rejected.status).toBe(400)
    expect((await h.api('GET', `/agents/${reg}`)).body.status).toBe('active')
    const sent = await visitor.send(action, action, { number: ` ${reg.toLowerCase()} ` })
    expect(sent).toMatchObject({ status: 303, location: `${path}?notice=agent-deactivated` })
    expect((await h.api('GET', `/agents/${reg}`)).body.status).toBe('deactivated')
    for (const tab of ['', '/activity', '/incidents', '/domain', '/keys', '/settings']) {
      const page = await visitor.get(path + tab)
      expect(page.text.match(/<form /g), tab).toHaveLength(1) // to sign out
    }
    expect((await visitor.get('/console')).text).toContain(`href="${path}"`) // also without an active agent
  })

  it('returns 404 for another operator, whose forms are rejected', async () => {
    const { reg, path } = await newOwner({ name: 'Not yours' })
    const { visitor, path: own, reg: ownReg } = await newOwner()
    for (const page of ['', '/activity', '/incidents', '/domain', '/keys', '/settings', '/deactivate'].map(
      (tab) => path + tab,
    )) {
      const response = await visitor.get(page)
      expect(response).toMatchObject({ status: 404 })
      expect(response.text).not.toContain('Not yours')
    }
    // The token of a form is valid only for its own path.
    const fields = await visitor.fieldsOf(`${own}/settings`, `${own}/settings`)
    expect(await visitor.post(`${path}/settings`, { ...fields, name: 'Mine now' })).toMatchObject({
      status: 403,
    })
    expect(reg).not.toBe(ownReg)
    expect((await h.api('GET', `/agents/${reg}`)).body.name).toBe('Not yours')
  })

  it.each(['REG-1', 'REG-2026-0001-0042-A', 'REG-1999-0001-0042-4'])(
    'returns 400 or 404 for %s',
    async (reg) => {
      const { visitor } = await newVisitor()
      const { status } = await visitor.get(`/console/agents/${reg}`)
      expect([400, 404]).toContain(status)
    },
  )
})

describe('the verification of a domain in the console', () => {
  const recordOf = (text: string) => /id="record-value"[^>]*>([^<]+)</.exec(text)?.[1]

  it('shows the TXT record, the result of the last check, and the verified domain', async () => {
    const { visitor, path: agent, reg } = await newOwner()
    const path = `${agent}/domain`
    const domain = `${freshSlug()}.example.com`
    const requested = await visitor.send(path, path, { domain, method: 'dns' })
    expect(requested).toMatchObject({ status: 303, location: `${path}?notice=challenge-made` })
    const value = recordOf((await visitor.get(path)).text)
    expect(value).toMatch(`reg-agent=${reg}:`)
    const missed = await visitor.send(path, `${path}/check`, {})
    expect(missed.location).toBe(`${path}?notice=domain-missed`)
    expect((await visitor.get(path)).text).toContain(`_reg-agent.${domain} has no TXT record`)
    await fetch(`${h.web_stand_in_url}/records`, {
      method: 'PUT',
      body: JSON.stringify({ name: `_reg-agent.${domain}`, txt: value }),
    })
    const found = await visitor.send(path, `${path}/check`, {})
    expect(found.location).toBe(`${path}?notice=domain-proved`)
    expect((await visitor.get(path)).text).toContain(`<strong>${domain}</strong> has been verified`)
    expect((await h.api('GET', `/agents/${reg}`)).body).toMatchObject({ domain })
  })

  it('takes the host of a pasted URL', async () => {
    const { visitor, path: agent } = await newOwner()
    const path = `${agent}/domain`
    await visitor.send(path, path, { domain: ' https://agents.example.com/reader?x=1 ', method: 'dns' })
    expect((await visitor.get(path)).text).toContain('_reg-agent.agents.example.com')
  })

  it('rejects a check after the challenge was canceled', async () => {
    const { visitor, path: agent } = await newOwner()
    const path = `${agent}/domain`
    await visitor.send(path, path, { domain: 'agents.example.com', method: 'dns' })
    const check = await visitor.fieldsOf(path, `${path}/check`)
    await visitor.send(path, `${path}/cancel`, {})
    const rejected = await visitor.post(`${path}/check`, check)
    expect(rejected.status).toBe(409)
    expect(rejected.text).toContain('has no pending challenge')
  })

  it('can be canceled, and started again with the other method', async () => {
    const { visitor, path: agent } = await newOwner()
    const path = `${agent}/domain`
    await visitor.send(path, path, { domain: 'agents.example.com', method: 'dns' })
    const canceled = await visitor.send(path, `${path}/cancel`, {})
    expect(canceled.location).toBe(`${path}?notice=challenge-ended`)
    expect(recordOf((await visitor.get(path)).text)).toBeUndefined()
    await visitor.send(path, path, { domain: 'agents.example.com', method: 'http' })
    expect((await visitor.get(path)).text).toContain('https://agents.example.com/.well-known/reg-agent.json')
  })

  it.each(['', 'localhost', 'https://', '127.0.0.1'])('rejects the domain "%s"', async (domain) => {
    const { visitor, path: agent } = await newOwner()
    const path = `${agent}/domain`
    const sent = await visitor.send(path, path, { domain, method: 'dns' })
    expect(sent.status).toBe(400)
    expect(sent.text).toMatch(/id="domain-problem">\S/)
  })
})
