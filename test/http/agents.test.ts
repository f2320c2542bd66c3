import { describe, expect, it } from 'vitest'
import { expectError, shared } from '../support/harness.ts'

const { api, newOperator, newAgent, newPlatform, newReporter, report } = shared()
const DEFAULTS = { description: '', specializations: [], platform_slug: null }

describe('POST /agents', () => {
  it('registers an agent and returns the creation response', async () => {
    const now = new Date('2026-05-06T07:08:09.123Z')
    const body = {
      name: 'Scout',
      class: 'A',
      description: 'Finds things.\nAll of them.',
      specializations: ['search', '検索', 'search'],
      platform_slug: null,
    }
    const { token } = await newOperator({ now })
    const response = await api('POST', '/agents', { token, body, now })
    expect(response.status).toBe(201)
    expect(response.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      reg: expect.stringMatching(/^REG-2026-/),
      name: 'Scout',
      description: 'Finds things.\nAll of them.',
      class: 'A',
      status: 'active',
      ownership_status: 'unverified',
      platform_name: null,
      platform_slug: null,
      platform_state: null,
      platform_leaves_at: null,
      next_platform_slug: null,
      domain: null,
      homepage_url: null,
      card_url: null,
      hidden_links: {},
      texts_withheld_at: null,
      specializations: ['search', '検索', 'search'],
      tasks_completed: 0,
      tasks_failed: 0,
      incident_count: 0,
      trust_score_overall: null,
      trust_score_updated: null,
      registered_at: expect.stringMatching(/^2026-05-06T07:08:09\.\d{3}Z$/),
    })
  })

  it('requires only a name and a class, and accepts null for the other fields', async () => {
    const operator = await newOperator()
    const empty = { description: null, specializations: null, platform_slug: null }
    for (const body of [{ class: 'A' }, { class: 'S' }, { class: 'H', ...empty }])
      expect(await newAgent(operator, body)).toMatchObject({ ...body, ...DEFAULTS })
  })

  it('ignores fields that cannot be set', async () => {
    const agent = await newAgent(await newOperator(), {
      id: '00000000-0000-7000-8000-000000000000',
      status: 'deactivated',
      ownership_status: 'verified',
    })
    expect(agent).toMatchObject({ status: 'active', ownership_status: 'unverified' })
    expect(agent.id).not.toMatch(/^0{8}/)
  })

  it('counts lengths in characters, not in bytes', async () => {
    const operator = await newOperator()
    const fields = {
      name: '🤖'.repeat(255),
      description: 'ß'.repeat(5_000),
      specializations: Array(20).fill('é'.repeat(50)),
    }
    expect(await newAgent(operator, fields)).toMatchObject(fields)
  })

  it('names every invalid field', async () => {
    const { token } = await newOperator()
    const response = await api('POST', '/agents', { token, body: { name: '', class: 'B' } })
    expectError(response, 400, 'VALIDATION_ERROR', /name: .*class: must be A, S, or H/)
  })

  it('checks that the platform exists before it checks the agent limit', async () => {
    const operator = await newOperator()
    for (let n = 0; n < 3; n++) await newAgent(operator)
    const call = { token: operator.token, body: { name: 'a', class: 'A', platform_slug: 'no-such-platform' } }
    expectError(await api('POST', '/agents', call), 404, 'NOT_FOUND', /no-such-platform/)
  })
})

it('assigns a number of the documented shape, which no change of the agent changes', async () => {
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

describe('GET /agents/{reg}', () => {
  it('shows the profile of a new agent', async () => {
    const operator = await newOperator()
    const platform = await newPlatform(operator)
    const agent = await newAgent(operator, { platform_slug: platform.slug, specializations: ['a'] })
    const { body: me } = await api('GET', '/operators/me', { token: operator.token })
    const { status, body } = await api('GET', `/agents/${agent.reg}`)
    const { id, hidden_links, texts_withheld_at, next_platform_slug, ...shown } = agent
    expect(status).toBe(200)
    expect(body).toEqual({
      ...shown,
      name_changed_at: null,
      ownership_verified_at: null,
      success_rate: null,
      avg_response_ms: null,
      trust_score_updated: null,
      last_active_at: null,
      operator_id: me.id,
      operator_name: me.name,
      operator_name_verified: false,
      operator_kyc_status: 'unverified',
      operator_status: 'active',
      platform_name: platform.name,
      platform_slug: platform.slug,
      platform_since: agent.registered_at,
    })
    expect(JSON.stringify(body)).not.toContain(id)
  })

  it('shows the counters and times of the events reported', async () => {
    const { key, reg } = await newReporter()
    const events = [
      { event_type: 'task_completed', metadata: { response_ms: 1_000 } },
      { event_type: 'task_completed', metadata: { response_ms: 2_001 } },
      { event_type: 'task_failed' },
      { event_type: 'incident', severity: 'error' },
    ]
    let last = ''
    for (const event of events) last = (await report(key, reg, event)).created_at
    const { body } = await api('GET', `/agents/${reg}`)
    expect(body).toMatchObject({
      tasks_completed: 2,
      tasks_failed: 1,
      incident_count: 1,
      success_rate: '66.67',
      avg_response_ms: 1_501,
      last_active_at: last,
      trust_score_overall: null,
      platform_name: null,
      platform_slug: null,
    })
  })
})

describe('GET /agents/{reg}/trust-score', () => {
  it('says how many tasks are missing before there is a score', async () => {
    const { key, reg } = await newReporter()
    const { body: empty } = await api('GET', `/agents/${reg}/trust-score`)
    expect(empty).toEqual({ reg, status: 'insufficient_data', message: expect.stringMatching(/10 more/) })
    for (let n = 0; n < 9; n++) await report(key, reg)
    const { body: almost } = await api('GET', `/agents/${reg}/trust-score`)
    expect(almost).toMatchObject({ status: 'insufficient_data', message: expect.stringMatching(/1 more/) })
    await report(key, reg)
    expect((await api('GET', `/agents/${reg}/trust-score`)).body.overall).toBeTypeOf('number')
  })

  it('shows the current score, and the profile shows the same', async () => {
    const { key, reg } = await newReporter()
    for (let n = 0; n < 15; n++) {
      await report(key, reg, { metadata: { response_ms: 900 + n, quality: 0.97 } })
    }
    const { status, body } = await api('GET', `/agents/${reg}/trust-score`)
    expect(status).toBe(200)
    const points = expect.toSatisfy(
      (value) => value >= 0 && value <= 100 && Number(value.toFixed(1)) === value,
    )
    expect(body).toEqual({
      reg,
      overall: points,
      reliability: points,
      accuracy: points,
      safety: points,
      speed: points,
      consistency: points,
      events_considered: 15,
      computation_window_days: 90,
      algorithm_version: '1.0',
      computed_at: expect.stringMatching(/Z$/),
    })
    const { body: profile } = await api('GET', `/agents/${reg}`)
    expect(profile.trust_score_overall).toBe(body.overall.toFixed(1))
    await report(key, reg, { event_type: 'incident', severity: 'critical' })
    const { body: after } = await api('GET', `/agents/${reg}/trust-score`)
    expect(after.safety).toBeLessThan(body.safety)
    expect(after.events_considered).toBe(16)
  })

  it('ignores events that are more than 90 days old', async () => {
    const then = new Date('2026-02-01T12:00:00Z')
    const { key, reg } = await newReporter({ now: then })
    for (let n = 0; n < 12; n++) await report(key, reg, {}, then)
    const on = async (day: string) =>
      (await api('GET', `/agents/${reg}/trust-score`, { now: new Date(day) })).body
    expect((await on('2026-02-01T23:00:00Z')).events_considered).toBe(12)
    expect((await on('2026-05-01T23:59:59Z')).events_considered).toBe(12)
    expect((await on('2026-05-02T00:00:00Z')).status).toBe('insufficient_data')
  })
})
