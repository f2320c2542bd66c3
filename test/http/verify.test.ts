import { expect, it } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { tirelessReporter } from '../support/fill.ts'
import { shared } from '../support/harness.ts'
import { ISO } from '../support/shapes.ts'

const h = shared()
const { api, newOperator, newAgent, newKey, newPlatform } = h

const TASKS = 12

it('returns the quick and the full verification of a new agent with exactly their fields', async () => {
  const operator = await newOperator()
  const agent = await newAgent(operator, { name: 'Fresh', class: 'H' })
  const { key } = await newKey(await newOperator(), ['read'])
  const { body: me } = await api('GET', '/operators/me', { token: operator.token })
  const quick = {
    reg: agent.reg,
    registered: true,
    active: true,
    name: 'Fresh',
    class: 'H',
    ownership_status: 'unverified',
    domain: null,
    operator_id: me.id,
    operator_name: me.name,
    operator_name_verified: false,
    operator_kyc_status: 'unverified',
    operator_status: 'active',
    standing: 'unrated',
    trust_score_overall: null,
    trust_score_updated: null,
    checked_at: ISO,
  }
  const { body } = await api('GET', `/verify/${agent.reg}`)
  expect(body).toEqual(quick)
  expect(Math.abs(Date.now() - Date.parse(body.checked_at))).toBeLessThan(60_000)
  expect((await api('GET', `/verify/${agent.reg}/full`, { token: key })).body).toEqual({
    ...quick,
    name_changed_at: null,
    platform_state: null,
    overall: null,
    reliability: null,
    accuracy: null,
    safety: null,
    speed: null,
    consistency: null,
    events_considered: 0,
    tasks_completed: 0,
    tasks_failed: 0,
    incident_count: 0,
    open_incident_count: 0,
    registered_at: agent.registered_at,
    last_active_at: null,
    platform_name: null,
    platform_slug: null,
  })
})

it('has the values of profile and trust score, the last ones once the agent is deactivated', async () => {
  const { operator, key } = await tirelessReporter(h)
  const { slug } = await newPlatform(operator, { name: 'Market', admission: 'approval' })
  const { reg } = await newAgent(operator, { name: 'Busy', class: 'S', platform_slug: slug })
  const events: object[] = Array.from({ length: TASKS }, (_, n) => ({
    reg,
    event_type: n < 9 ? 'task_completed' : 'task_failed',
    metadata: { quality: 0.9, response_ms: 500 },
  }))
  events.push({ reg, event_type: 'incident', severity: 'warning' })
  await h.reportBatch(key, events)
  const { key: token } = await newKey(await newOperator(), ['read'])
  const [{ body: profile }, { body: score }] = [
    await api('GET', `/agents/${reg}`),
    await api('GET', `/agents/${reg}/trust-score`),
  ]
  const { computed_at, computation_window_days, algorithm_version, ...numbers } = score
  expect(numbers.overall).toBeGreaterThan(0)
  const full = (now = new Date()) => api('GET', `/verify/${reg}/full`, { token, now })
  expect((await full()).body).toMatchObject({
    ...numbers,
    active: true,
    platform_state: 'confirmed',
    operator_id: profile.operator_id,
    operator_name: profile.operator_name,
    standing: 'self_reported',
    trust_score_overall: score.overall.toFixed(1),
    events_considered: TASKS + 1,
    tasks_completed: 9,
    tasks_failed: 3,
    incident_count: 1,
    open_incident_count: 1,
    last_active_at: profile.last_active_at,
    platform_name: 'Market',
    platform_slug: slug,
  })
  await api('PATCH', `/agents/${reg}`, { token: operator.token, body: { status: 'deactivated' } })
  const months = new Date(Date.now() + 200 * DAY_MS)
  const trust_score_overall = score.overall.toFixed(1)
  const last = { registered: true, active: false, trust_score_overall }
  for (const now of [new Date(), months]) {
    expect((await full(now)).body).toMatchObject(last)
    expect((await api('GET', `/verify/${reg}`, { now })).body).toMatchObject(last)
    const ended = { status: 'deactivated', trust_score_overall }
    expect((await api('GET', `/agents/${reg}`, { now })).body).toMatchObject(ended)
    const { overall } = score
    expect((await api('GET', `/agents/${reg}/trust-score`, { now })).body).toMatchObject({ overall })
  }
})
