import { describe, expect, it } from 'vitest'
import { utcDay } from '../../src/lib/time.ts'
import { NOON } from '../support/day.ts'
import { expectError, shared } from '../support/harness.ts'

const { api, newOperator, newAgent, newPlatform, newReporter, report } = shared()

describe('POST /agents', () => {
  it('registers an agent and returns the creation response', async () => {
    const body = {
      name: 'Scout',
      class: 'A',
      description: 'Finds things.\nAll of them.',
      specializations: ['search', '検索', 'search'],
      platform_slug: null,
    }
    const { token } = await newOperator({ now: NOON })
    const response = await api('POST', '/agents', { token, body, now: NOON })
    expect(response.status).toBe(201)
    expect(response.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      reg: expect.stringMatching(`^REG-${NOON.getUTCFullYear()}-`),
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
      registered_at: expect.stringMatching(`^${utcDay(NOON)}T12:00:\\d\\d\\.\\d{3}Z$`),
    })
  })

  it('requires only a name and a class, counts characters, not bytes, and names every invalid field', async () => {
    const operator = await newOperator()
    const empty = { description: null, specializations: null, platform_slug: null }
    const longest = {
      name: '🤖'.repeat(255),
      description: 'ß'.repeat(5_000),
      specializations: Array(20).fill('é'.repeat(50)),
    }
    const defaults = { description: '', specializations: [], platform_slug: null }
    for (const body of [{ class: 'A' }, { class: 'H', ...empty }])
      expect(await newAgent(operator, body)).toMatchObject({ ...body, ...defaults })
    expect(await newAgent(operator, { class: 'S', ...longest })).toMatchObject({ class: 'S', ...longest })
    const call = { token: operator.token, body: { name: '', class: 'B' } }
    const message = /name: .*class: must be A, S, or H/
    expectError(await api('POST', '/agents', call), 400, 'VALIDATION_ERROR', message)
  })
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
