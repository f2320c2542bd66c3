import { expect, it } from 'vitest'
import { tirelessReporter } from '../support/fill.ts'
import { shared } from '../support/harness.ts'
import { ISO } from '../support/shapes.ts'

const h = shared()
const { api, newOperator, newAgent, newKey, newPlatform, report } = h

const TASKS = 12
const BOTH = ['', '/full']

/** An agent on a platform with a score and an open incident, and a key with read of another operator. */
async function busyAgent() {
  const { operator, key } = await tirelessReporter(h)
  const platform = await newPlatform(operator, { name: 'Market' })
  const agent = await newAgent(operator, { name: 'Busy', class: 'S', platform_slug: platform.slug })
  for (let n = 0; n < TASKS; n++) {
    const event_type = n < 9 ? 'task_completed' : 'task_failed'
    await report(key, agent.reg, { event_type, metadata: { quality: 0.9, response_ms: 500 } })
  }
  await report(key, agent.reg, { event_type: 'incident', severity: 'warning' })
  const reader = (await newKey(await newOperator(), ['read'])).key as string
  const [profile, score] = await Promise.all([
    api('GET', `/agents/${agent.reg}`),
    api('GET', `/agents/${agent.reg}/trust-score`),
  ])
  return { operator, agent, platform, reader, profile: profile.body, score: score.body }
}

it('returns the quick verification of a new agent with exactly its fields', async () => {
  const operator = await newOperator()
  const agent = await newAgent(operator, { name: 'Fresh', class: 'H' })
  const { body: me } = await api('GET', '/operators/me', { token: operator.token })
  const { status, body } = await api('GET', `/verify/${agent.reg}`)
  expect(status).toBe(200)
  expect(body).toEqual({
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
  })
  expect(Math.abs(Date.now() - Date.parse(body.checked_at))).toBeLessThan(60_000)
})

it('returns the full verification of a new agent without a score', async () => {
  const operator = await newOperator()
  const [agent, { key }] = await Promise.all([newAgent(operator), newKey(operator, ['read'])])
  const quick = (await api('GET', `/verify/${agent.reg}`)).body
  const { status, body } = await api('GET', `/verify/${agent.reg}/full`, { token: key })
  expect(status).toBe(200)
  expect(body).toEqual({
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
    checked_at: ISO,
  })
})

it('the full verification has the values of profile and trust score, for any key with read', async () => {
  const { agent, platform, reader, profile, score } = await busyAgent()
  const { body } = await api('GET', `/verify/${agent.reg}/full`, { token: reader })
  const { computed_at, computation_window_days, algorithm_version, ...numbers } = score
  expect(numbers.overall).toBeGreaterThan(0)
  expect(body).toEqual({
    ...numbers,
    registered: true,
    active: true,
    name: 'Busy',
    name_changed_at: null,
    platform_state: 'confirmed',
    class: 'S',
    ownership_status: 'unverified',
    domain: null,
    operator_id: profile.operator_id,
    operator_name: profile.operator_name,
    operator_name_verified: false,
    operator_kyc_status: 'unverified',
    operator_status: 'active',
    standing: 'self_reported',
    trust_score_overall: score.overall.toFixed(1),
    trust_score_updated: ISO,
    checked_at: ISO,
    events_considered: TASKS + 1,
    tasks_completed: 9,
    tasks_failed: 3,
    incident_count: 1,
    open_incident_count: 1,
    registered_at: agent.registered_at,
    last_active_at: profile.last_active_at,
    platform_name: 'Market',
    platform_slug: platform.slug,
  })
  expect((await api('GET', `/verify/${agent.reg}`)).body.trust_score_overall).toBe(body.trust_score_overall)
})

it('a deactivated agent is registered but not active, and keeps its last score', async () => {
  const { operator, agent, reader, score } = await busyAgent()
  await api('PATCH', `/agents/${agent.reg}`, { token: operator.token, body: { status: 'deactivated' } })
  const months = new Date(Date.now() + 200 * 86_400_000)
  for (const path of BOTH) {
    for (const now of [new Date(), months]) {
      const { body } = await api('GET', `/verify/${agent.reg}${path}`, { token: reader, now })
      expect(body).toMatchObject({
        registered: true,
        active: false,
        trust_score_overall: score.overall.toFixed(1),
      })
    }
  }
})
