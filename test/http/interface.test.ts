import { describe, expect, it } from 'vitest'
import { expectHeaders } from '../support/contract.ts'
import { eventually, freshWord, tirelessReporter, unknownReg } from '../support/fill.ts'
import { type Answer, type Body, expectError, freshSlug, shared, startReceiver } from '../support/harness.ts'

// Sentences of the interface that no other file shows; test/interface.md says where each of them is shown.

const h = shared()
const { api, sql, openApi, newOperator, newAgent, newKey, newPlatform, report } = h
const document = await openApi()

const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const ME = '/operators/me'
const KEYS = '/operators/me/api-keys'

describe('the agent number', () => {
  it('has the one shape, and stays what it is whatever becomes of the agent [2.1a 2.1b]', async () => {
    const operator = await newOperator()
    const agents = [await newAgent(operator), await newAgent(operator)]
    for (const { id, reg } of agents) {
      expect(reg).toMatch(new RegExp(`^REG-${new Date().getUTCFullYear()}-\\d{4}-\\d{4}-[0-9A-Z]$`))
      for (const body of [{ name: 'Other' }, { status: 'deactivated' }]) {
        const changed = await api('PATCH', `/agents/${reg}`, { token: operator.token, body })
        expect(changed.body).toMatchObject({ id, reg })
      }
    }
    const next = await newAgent(operator)
    expect(new Set([...agents, next].map(({ reg }) => reg)).size).toBe(3)
  })

  it('of an invalid format is a 400 on every path that has one [2.1c]', async () => {
    const operator = await newOperator()
    const { key } = await newKey(operator, ['read'])
    const routes = document.routes.filter(({ path }) => path.includes('{reg}'))
    expect(routes.length).toBeGreaterThanOrEqual(7)
    for (const { method, path, security, body } of routes) {
      const token = security.some((scheme) => 'session' in scheme) ? operator.token : key
      for (const reg of ['REG-2026-0001-0042', 'REG-2026-0001-0042-u', 'AGT-2026-0001-0042-U', '1']) {
        const answer = await api(method, path.replace('{reg}', reg), {
          ...(security.length > 0 && { token }),
          ...(body && { body: { name: 'x', domain: 'example.com', method: 'dns' } }),
        })
        expectError(answer, 400, 'VALIDATION_ERROR', /^reg: /)
      }
    }
  })
})

describe('the operator', () => {
  it('is shown with exactly its fields [2.2a 2.2f 4.1a]', async () => {
    const { id, email, token } = await newOperator()
    const { status, body } = await api('GET', ME, { token })
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        id,
        email,
        name: expect.any(String),
        company_name: null,
        company_url: null,
        avatar_url: null,
        role: 'operator',
        status: 'active',
        kyc_status: 'unverified',
        kyc_verified_at: null,
        kyc_expires_at: null,
        tier: 'free',
        agent_limit: 3,
        notification_prefs: {
          trust_alerts: true,
          incident_alerts: true,
          weekly_digest: expect.any(Boolean),
          kyc_reminders: true,
        },
        created_at: ISO,
        updated_at: ISO,
      },
    })
  })

  it('changes what is given and nothing else [4.1b]', async () => {
    const { token } = await newOperator()
    const { body: before } = await api('GET', ME, { token })
    const changes = {
      name: 'Ada',
      company_name: 'Ada & Co',
      company_url: 'https://ada.example/about',
      avatar_url: 'https://ada.example/a.png',
    }
    const now = new Date(Date.now() + 60_000)
    const { status, body } = await api('PATCH', ME, { token, body: changes, now })
    expect({ status, body }).toEqual({ status: 200, body: { ...before, ...changes, updated_at: ISO } })
    expect(Date.parse(body.updated_at)).toBeGreaterThanOrEqual(now.getTime())
    expect((await api('GET', ME, { token })).body).toEqual(body)
    for (const one of [{ company_name: null }, { name: 'Eve' }, { avatar_url: null }]) {
      const answer = await api('PATCH', ME, { token, body: one })
      expect(answer.body).toMatchObject(one)
    }
    expect((await api('GET', ME, { token })).body).toMatchObject({
      name: 'Eve',
      company_name: null,
      company_url: 'https://ada.example/about',
      avatar_url: null,
    })
  })

  it('keeps the notification switches that are not named [2.2c]', async () => {
    const { token } = await newOperator()
    const { notification_prefs: before } = (await api('GET', ME, { token })).body
    const body = { notification_prefs: { trust_alerts: false } }
    const { body: after } = await api('PATCH', ME, { token, body })
    expect(after.notification_prefs).toEqual({ ...before, trust_alerts: false })
  })

  it('cannot change what is not its to change [operator-3]', async () => {
    const { token } = await newOperator()
    const { body: before } = await api('GET', ME, { token })
    const own = { name: before.name }
    const body = {
      ...own,
      tier: 'enterprise',
      agent_limit: 9,
      kyc_status: 'verified',
      role: 'admin',
      email: 'x',
    }
    const { body: after } = await api('PATCH', ME, { token, body })
    expect({ ...after, updated_at: '' }).toEqual({ ...before, updated_at: '' })
  })

  it('that gives no field to change is told so [4.1d 7c]', async () => {
    const { token } = await newOperator()
    for (const body of [{}, { tier: 'pro' }, { nothing: 1 }]) {
      expectError(await api('PATCH', ME, { token, body }), 400, 'NO_UPDATES')
    }
  })

  it('that gives invalid input is told which [4.1c]', async () => {
    const { token } = await newOperator()
    const invalid: [string, unknown][] = [
      ['name', ''],
      ['name', null],
      ['name', 'x'.repeat(256)],
      ['company_url', 'ftp://example.com'],
      ['company_url', 'example.com'],
      ['avatar_url', 'javascript:alert(1)'],
      ['notification_prefs', { trust_alerts: 'no' }],
      ['notification_prefs', []],
    ]
    for (const [field, value] of invalid) {
      const answer = await api('PATCH', ME, { token, body: { [field]: value } })
      expectError(answer, 400, 'VALIDATION_ERROR', new RegExp(`^${field}`))
    }
  })

  it('needs a session to be seen or changed [4.1a 4.1e]', async () => {
    expectError(await api('GET', ME), 401, 'UNAUTHORIZED')
    expectError(await api('PATCH', ME, { body: { name: 'x' } }), 401, 'UNAUTHORIZED')
  })

  it('lists its own agents, newest first, in the creation form, by session or by key [4.1f]', async () => {
    const operator = await newOperator()
    await newAgent(await newOperator())
    const agents = [
      await newAgent(operator, { name: 'One' }),
      await newAgent(operator, { name: 'Two', class: 'H', specializations: ['a', 'b'] }),
    ]
    const { key } = await newKey(operator, ['read'])
    for (const token of [operator.token, key]) {
      const { status, body } = await api('GET', `${ME}/agents`, { token })
      expect({ status, body }).toEqual({
        status: 200,
        body: {
          data: [...agents].reverse(),
          pagination: { page: 1, per_page: 20, total: 2, total_pages: 1 },
        },
      })
    }
    const second = await api('GET', `${ME}/agents?per_page=1&page=2`, { token: key })
    expect(second.body.data).toEqual([agents[0]])
  })

  it('has as many agents as its tier allows [2.2b 8l]', async () => {
    const limits: Record<string, number> = {}
    for (const tier of ['free', 'pro', 'business', 'enterprise'] as const) {
      const { token } = await newOperator({ tier })
      const { body } = await api('GET', ME, { token })
      expect(body.tier).toBe(tier)
      limits[tier] = body.agent_limit
    }
    expect(limits).toEqual({ free: 3, pro: 50, business: 500, enterprise: 10_000 })
  })
})

describe('an API key', () => {
  it('is shown whole at its creation, and by its beginning ever after [2.4a 2.4b 2.4d 2.4h 4.1h 4.1i 5i]', async () => {
    const operator = await newOperator()
    const created = await api('POST', KEYS, { token: operator.token, body: { name: 'First' } })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      id: UUID,
      name: 'First',
      key: expect.stringMatching(/^reg_live_[0-9A-Za-z]{46}$/),
      key_prefix: created.body.key.slice(0, 17),
      permissions: ['read'],
      rate_limit_per_minute: 60,
      expires_at: null,
      created_at: ISO,
    })
    const { key, ...rest } = created.body
    const { body } = await api('GET', KEYS, { token: operator.token })
    expect(body).toEqual({
      data: [{ ...rest, status: 'active', last_used_at: null, requests_count: 0, revoked_at: null }],
    })
    expect(JSON.stringify(body)).not.toContain(key)
    const [row] = await sql('select * from api_keys where id = $1', [rest.id])
    expect(JSON.stringify(row)).not.toContain(key.slice(17, 49))
    expect(row).toMatchObject({ salt: expect.any(String), secret_hash: expect.any(String) })
  })

  it('is revoked for ever, and kept in the list [2.4e 3f 4.1j 5j key-2 key-6 key-7]', async () => {
    const operator = await newOperator()
    const { token } = operator
    const { reg } = await newAgent(operator)
    const { id, key } = await newKey(operator)
    const body = { reg, event_type: 'x' }
    expect((await api('POST', '/activity/report', { token: key, body })).status).toBe(201)
    const revoked = await api('DELETE', `${KEYS}/${id}`, { token })
    expect(revoked).toMatchObject({ status: 200, body: { id, status: 'revoked', revoked_at: ISO } })
    expectError(await api('POST', '/activity/report', { token: key, body }), 401, 'UNAUTHORIZED')
    expect((await api('DELETE', `${KEYS}/${id}`, { token })).body).toEqual(revoked.body)
    const { revoked_at } = revoked.body
    expect((await api('GET', KEYS, { token })).body.data).toMatchObject([
      { id, status: 'revoked', revoked_at },
    ])
    const again = await api('PATCH', `${KEYS}/${id}`, { token, body: { name: 'Back' } })
    expectError(again, 409, 'CONFLICT')
    expectError(await api('POST', '/activity/report', { token: key, body }), 401, 'UNAUTHORIZED')
  })

  it('tells in the list how often and when it was last used [2.4f]', async () => {
    const operator = await newOperator()
    const { key } = await newKey(operator, ['read'])
    const began = Date.now()
    for (let n = 0; n < 3; n++) await api('GET', `${ME}/agents`, { token: key })
    const used = await eventually(
      async () => {
        await h.cron()
        return (await api('GET', KEYS, { token: operator.token })).body.data[0]
      },
      ({ requests_count }) => requests_count === 3,
    )
    expect(used.requests_count).toBe(3)
    expect(Date.parse(used.last_used_at)).toBeGreaterThan(began - 2_000)
  })

  it('may read with read, report with write or activity:report, and nothing else [4.4f 4.4j 5f 5h]', async () => {
    const operator = await newOperator()
    const { reg } = await newAgent(operator)
    const allowed = async (permissions: string[]) => {
      const { key: token } = await newKey(operator, permissions)
      const body = { reg, event_type: 'x' }
      const answers = [
        await api('GET', `${ME}/agents`, { token }),
        await api('GET', `${ME}/dashboard`, { token }),
        await api('GET', `/verify/${reg}/full`, { token }),
        await api('POST', '/activity/report', { token, body }),
        await api('POST', '/activity/report/batch', { token, body: { events: [body] } }),
      ]
      for (const answer of answers) if (answer.status > 299) expectError(answer, 403, 'FORBIDDEN')
      return answers.map(({ status }) => status < 300)
    }
    expect(await allowed(['read'])).toEqual([true, true, true, false, false])
    expect(await allowed(['write'])).toEqual([false, false, false, true, true])
    expect(await allowed(['activity:report'])).toEqual([false, false, false, true, true])
  })

  it('manages no account, no keys and no agents [5d]', async () => {
    const operator = await newOperator()
    const { reg } = await newAgent(operator)
    const { id, key: token } = await newKey(operator, ['read', 'write', 'activity:report'])
    const calls: [string, string, object?][] = [
      ['GET', ME],
      ['PATCH', ME, { name: 'x' }],
      ['POST', KEYS, { name: 'x' }],
      ['DELETE', `${KEYS}/${id}`],
      ['GET', `${ME}/notifications`],
      ['POST', `${ME}/notifications/read-all`],
      ['POST', '/agents', { name: 'x', class: 'A' }],
      ['PATCH', `/agents/${reg}`, { name: 'x' }],
    ]
    for (const [method, path, body] of calls) {
      expectError(await api(method, path, { token, ...(body && { body }) }), 401, 'UNAUTHORIZED', /session/)
    }
  })

  it('with read lists the keys of its operator, as a session does [4.1h]', async () => {
    const operator = await newOperator()
    const { key } = await newKey(operator, ['read'])
    const [byKey, bySession] = [await api('GET', KEYS, { token: key }), await api('GET', KEYS, operator)]
    expect(byKey.status).toBe(200)
    expect(byKey.body.data).toHaveLength(1)
    expect(byKey.body).toEqual(bySession.body)
  })

  it('has a limit that its operator sets [8b]', async () => {
    const operator = await newOperator({ tier: 'pro' })
    const { id, key } = await newKey(operator, ['read'])
    const body = { rate_limit_per_minute: 600 }
    const changed = await api('PATCH', `${KEYS}/${id}`, { token: operator.token, body })
    expect(changed).toMatchObject({ status: 200, body })
    const used = await api('GET', `${ME}/agents`, { token: key })
    expect(used.headers.get('x-ratelimit-limit')).toBe('600')
    const tooHigh = { rate_limit_per_minute: 601 }
    const refused = await api('PATCH', `${KEYS}/${id}`, { token: operator.token, body: tooHigh })
    expectError(refused, 400, 'VALIDATION_ERROR', /rate_limit_per_minute/)
  })
})

describe('an agent', () => {
  it('changes its texts, and answers in the creation form [4.2i]', async () => {
    const operator = await newOperator()
    const agent = await newAgent(operator, { name: 'Old', description: 'old', specializations: ['old'] })
    const changes = { name: 'New', description: 'new', specializations: ['a', 'b'] }
    const { status, body } = await api('PATCH', `/agents/${agent.reg}`, {
      token: operator.token,
      body: changes,
    })
    expect({ status, body }).toEqual({ status: 200, body: { ...agent, ...changes } })
    const one = await api('PATCH', `/agents/${agent.reg}`, {
      token: operator.token,
      body: { description: null },
    })
    expect(one.body).toEqual({ ...agent, ...changes, description: '' })
    expect((await api('GET', `/agents/${agent.reg}`)).body).toMatchObject({ ...changes, description: '' })
  })

  it('is changed by its operator alone [3d 4.2l 7g agent-6]', async () => {
    const [owner, other] = await Promise.all([newOperator(), newOperator()])
    const { reg } = await newAgent(owner)
    const body = { name: 'Mine', status: 'deactivated' }
    expectError(await api('PATCH', `/agents/${reg}`, { token: other.token, body }), 403, 'FORBIDDEN')
    expect((await api('GET', `/agents/${reg}`)).body).toMatchObject({ name: 'Scout', status: 'active' })
    const unknown = await api('PATCH', `/agents/${unknownReg()}`, { token: other.token, body })
    expectError(unknown, 404, 'NOT_FOUND')
  })

  it('is refused a change that is none, or not allowed [4.2k agent-7]', async () => {
    const operator = await newOperator()
    const { reg } = await newAgent(operator)
    const bodies = [{}, { class: 'H' }, { name: '' }, { name: 'x'.repeat(256) }, { specializations: 'a' }]
    for (const body of [...bodies, { status: 'active' }, { status: 'suspended' }]) {
      const answer = await api('PATCH', `/agents/${reg}`, { token: operator.token, body })
      expectError(answer, 400, 'VALIDATION_ERROR')
    }
  })

  it('is deactivated for good: its platform is told once, and reports for it fail [3c 4.2j agent-4 agent-8 agent-9 agent-10]', async () => {
    const receiver = await startReceiver()
    try {
      const { operator, key } = await tirelessReporter(h)
      const { slug } = await newPlatform(operator, { webhook_url: receiver.url })
      const { reg } = await newAgent(operator, { platform_slug: slug })
      const patch = (body: object) => api('PATCH', `/agents/${reg}`, { token: operator.token, body })
      const first = await patch({ status: 'deactivated' })
      expect(first).toMatchObject({ status: 200, body: { reg, status: 'deactivated' } })
      expect((await patch({ status: 'deactivated' })).body).toEqual(first.body)
      const [told] = await receiver.arrival(1, 'agent.deactivated')
      expect(told?.event.data).toMatchObject({ reg, status: 'deactivated' })
      const body = { reg, event_type: 'x' }
      expectError(await api('POST', '/activity/report', { token: key, body }), 410, 'AGENT_DEACTIVATED')
      expectError(await patch({ status: 'active' }), 400, 'VALIDATION_ERROR', /final/)
      const events = await sql(
        `select e.type from webhook_events e where e.data->>'reg' = $1 and e.type = 'agent.deactivated'`,
        [reg],
      )
      expect(events).toHaveLength(1)
    } finally {
      await receiver.stop()
    }
  })

  it('gives its place back when it is deactivated [4.2d]', async () => {
    const operator = await newOperator()
    const [first] = [await newAgent(operator), await newAgent(operator), await newAgent(operator)]
    const post = () => api('POST', '/agents', { token: operator.token, body: { name: 'x', class: 'S' } })
    expectError(await post(), 402, 'AGENT_LIMIT_REACHED', /3/)
    await api('PATCH', `/agents/${first.reg}`, { token: operator.token, body: { status: 'deactivated' } })
    expect((await post()).status).toBe(201)
    expectError(await post(), 402, 'AGENT_LIMIT_REACHED')
  })

  it('stands on the platform that its registration names, and on none that is unknown [2.3i 4.2e]', async () => {
    const operator = await newOperator()
    const platform = await newPlatform(await newOperator(), { name: 'Market' })
    const { reg } = await newAgent(operator, { platform_slug: platform.slug })
    const { body } = await api('GET', `/agents/${reg}`)
    expect(body).toMatchObject({ platform_name: 'Market', platform_slug: platform.slug })
    const unknown = { name: 'x', class: 'A', platform_slug: freshSlug() }
    const refused = await api('POST', '/agents', { token: operator.token, body: unknown })
    expectError(refused, 404, 'NOT_FOUND', /^platform_slug: /)
  })
})

it('serves every public endpoint without a credential [5k]', async () => {
  const { reg } = await newAgent(await newOperator())
  const paths = [
    `/verify/${reg}`,
    `/agents/${reg}`,
    `/agents/${reg}/activity`,
    `/agents/${reg}/trust-score`,
    `/agents/${reg}/trust-score/history`,
    '/agents/search',
  ]
  for (const path of paths) expect([path, (await api('GET', path)).status]).toEqual([path, 200])
})

it('answers scores as numbers, and the overall score of profiles and searches as a text [2.5g 4.3a 9b]', async () => {
  const { reg, key, agent } = await tirelessReporter(h)
  for (let n = 0; n < 10; n++) await report(key, reg, { metadata: { quality: 1, response_ms: 100 } })
  const { body: score } = await api('GET', `/agents/${reg}/trust-score`)
  const { body: profile } = await api('GET', `/agents/${reg}`)
  expect(score).toEqual({
    reg,
    overall: expect.any(Number),
    reliability: expect.any(Number),
    accuracy: expect.any(Number),
    safety: expect.any(Number),
    speed: expect.any(Number),
    consistency: expect.any(Number),
    events_considered: 10,
    computation_window_days: 90,
    algorithm_version: '1.0',
    computed_at: ISO,
  })
  expect(profile.trust_score_overall).toBe(score.overall.toFixed(1))
  expect(profile).toMatchObject({ success_rate: '100.00', avg_response_ms: 100, tasks_completed: 10 })
  const stored = await eventually(
    async () => {
      await h.cron()
      const { body } = await api('GET', `/agents/search?q=${reg}`)
      return body.data[0].trust_score_overall
    },
    (shown) => shown !== null,
  )
  expect(stored).toBe(score.overall.toFixed(1))
  expect(agent.trust_score_overall).toBeNull()
})

describe('every paginated route', () => {
  const paged = document.routes.filter(({ parameters }) => parameters.some(({ name }) => name === 'per_page'))

  it.each(paged)(
    '$name begins at page 1 with 20 on a page, and takes at most 50 [4.2q 4.4p 8g]',
    async ({ path }) => {
      const operator = await newOperator()
      const { reg } = await newAgent(operator)
      const slug = path.includes('{slug}') ? (await newPlatform(operator)).slug : ''
      const call = (query: string) => {
        const to = path.replace('{reg}', reg).replace('{slug}', slug)
        return api('GET', to + query, { token: operator.token })
      }
      const { status, body } = await call('')
      expect(status).toBe(200)
      expect(Object.keys(body.pagination).sort()).toEqual(['page', 'per_page', 'total', 'total_pages'])
      expect(body.pagination).toMatchObject({ page: 1, per_page: 20 })
      expect((await call('?per_page=50')).body.pagination.per_page).toBe(50)
      // The word keeps a search away from the agents of other tests; the other routes do not know it.
      expect((await call(`?page=77&specialization=${freshWord()}`)).body.data).toEqual([])
      for (const query of ['?per_page=51', '?per_page=0', '?page=0', '?page=-1', '?page=x']) {
        expectError(await call(query), 400, 'VALIDATION_ERROR', /page: /)
      }
    },
  )

  it('is one of those that the interface names, or one of ours', () => {
    const names = paged.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['GET /agents/search', 'GET /agents/{reg}/activity']))
  })
})

it('carries the rate-limit headers on every status [8e]', async () => {
  const { operator, reg, key } = await tirelessReporter(h)
  const { token } = operator
  const reader = (await newKey(operator, ['read'])).key
  const event = { reg, event_type: 'x' }
  const repeat = { 'Idempotency-Key': 'k' }
  const fresh = await api('GET', `/verify/${reg}`)
  await newAgent(operator)
  const answers: Answer[] = [
    fresh,
    await api('POST', '/agents', { token, body: { name: 'x', class: 'A' } }),
    await api('GET', `/verify/${reg}`, { headers: { 'If-None-Match': fresh.headers.get('etag') ?? '' } }),
    await api('GET', '/auth/sign-in'),
    await api('GET', '/agents/x'),
    await api('GET', ME),
    await api('POST', '/agents', { token, body: { name: 'x', class: 'A' } }),
    await api('POST', '/activity/report', { token: reader, body: event }),
    await api('GET', `/agents/${unknownReg()}`),
    await api('PUT', ME),
    await api('POST', '/agents', { token, body: 'x'.repeat(65_537) }),
    await api('POST', '/agents', { token, body: 'x', headers: { 'Content-Type': 'text/plain' } }),
  ]
  await api('POST', '/activity/report', { token: key, body: event, headers: repeat })
  answers.push(
    await api('POST', '/activity/report', {
      token: key,
      body: { ...event, severity: 'error' },
      headers: repeat,
    }),
    await api('POST', '/activity/report/batch', { token: key, body: { events: [event, {}] } }),
  )
  await api('PATCH', `/agents/${reg}`, { token, body: { status: 'deactivated' } })
  answers.push(await api('POST', '/activity/report', { token: key, body: event }))
  expect(answers.map(({ status }) => status)).toEqual([
    200, 201, 304, 302, 400, 401, 402, 403, 404, 405, 413, 415, 422, 207, 410,
  ])
  for (const { headers } of answers) {
    for (const name of ['limit', 'remaining', 'reset']) {
      expect(headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/)
    }
    expect(Number(headers.get('x-ratelimit-reset')) * 1000).toBeGreaterThan(Date.now() - 60_000)
  }
  for (const answer of answers.slice(0, 12)) expectHeaders(answer)
})

it('answers 500 in the one error shape, and says nothing of what went wrong [7k]', async () => {
  // A counter that a check of the database keeps from falling: a failure that breaks no part.
  const operator = await newOperator()
  const { token } = operator
  const { reg } = await newAgent(operator)
  await sql('update operators set active_agents = 0 where id = $1', [operator.id])
  const response = await fetch(`${h.base_url}/api/v1/agents/${reg}`, {
    method: 'PATCH',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Late', status: 'deactivated' }),
  })
  expect(response.status).toBe(500)
  expect(await response.json()).toEqual({
    error: { code: 'INTERNAL_ERROR', message: 'something went wrong on our side', status: 500 },
  })
  expect(response.headers.get('x-ratelimit-limit')).toBe('120')
  expect((await api('GET', `/agents/${reg}`)).body).toMatchObject({ name: 'Scout', status: 'active' })
})

it('serves nothing of the interface outside of /api/v1 [9a]', async () => {
  const { reg } = await newAgent(await newOperator())
  for (const path of [
    `//agents/${reg}`,
    '//agents/search',
    `//api/agents/${reg}`,
    `//api/v2/agents/${reg}`,
  ]) {
    const { status, body } = await api('GET', path)
    expect({ path, status, body }).toMatchObject({
      path,
      status: 404,
      body: { error: { code: 'NOT_FOUND' } },
    })
  }
  expect(document.routes.length).toBeGreaterThan(20)
})

it('refuses to register without a name or with another class [4.2c]', async () => {
  const { token } = await newOperator()
  const bodies: [Body, RegExp][] = [
    [{ class: 'A' }, /^name: required/],
    [{ name: 'x' }, /^class: /],
    [{ name: 'x', class: 'B' }, /^class: must be A, S or H/],
    [{ name: 'x', class: 'a' }, /^class: /],
  ]
  for (const [body, message] of bodies) {
    expectError(await api('POST', '/agents', { token, body }), 400, 'VALIDATION_ERROR', message)
  }
})
