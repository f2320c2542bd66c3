import { expect, it } from 'vitest'
import { AS_SNAPSHOT, tirelessReporter } from '../fill.ts'
import { expectError, shared } from '../harness.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newKey, report } = h

const PATH = '/operators/me/dashboard'
const dashboard = async (token: string) => {
  const { status, body, text } = await api('GET', PATH, { token })
  expect(status, text).toBe(200)
  return body
}

const NOTHING = {
  agent_count: 0,
  active_agent_count: 0,
  total_tasks: 0,
  tasks_completed: 0,
  tasks_failed: 0,
  success_rate: null,
  incident_count: 0,
  open_incident_count: 0,
  average_trust_score: null,
  active_api_keys: 0,
}

it('is all zeros for a fresh operator', async () => {
  expect(await dashboard((await newOperator()).token)).toEqual(NOTHING)
})

it('says what was reported, over all agents and by every way', async () => {
  const { operator, agent, reg, key } = await tirelessReporter(h)
  const second = await newAgent(operator)
  await tirelessReporter(h).then(async (other) => {
    for (const event_type of ['task_completed', 'incident'])
      await report(other.key, other.reg, { event_type })
  })
  for (let n = 0; n < 5; n++) await report(key, reg)
  await report(key, second.reg, { event_type: 'task_failed', severity: 'critical' })
  await report(key, second.reg, { event_type: 'incident', severity: 'warning' })
  await report(key, second.reg, { event_type: 'heartbeat' })
  const events = ['task_completed', 'task_completed', 'task_failed', 'incident', 'error', 'startup']
  const body = { events: [...events, ''].map((event_type) => ({ reg, event_type })) }
  expect((await api('POST', '/activity/report/batch', { token: key, body })).status).toBe(207)

  const expected = {
    agent_count: 2,
    active_agent_count: 2,
    total_tasks: 9,
    tasks_completed: 7,
    tasks_failed: 2,
    success_rate: '77.78',
    incident_count: 2,
    open_incident_count: 2,
    average_trust_score: null,
    active_api_keys: 1,
  }
  expect(await dashboard(operator.token)).toEqual(expected)

  await sql(`${AS_SNAPSHOT} where agent_id = $1`, [agent.id, 80.1])
  await sql(`${AS_SNAPSHOT} where agent_id = $1`, [second.id, 61])
  expect(await dashboard(operator.token)).toEqual({ ...expected, average_trust_score: 70.6 })

  await api('PATCH', `/agents/${second.reg}`, { token: operator.token, body: { status: 'deactivated' } })
  expect(await dashboard(operator.token)).toMatchObject({
    agent_count: 2,
    active_agent_count: 1,
    total_tasks: 9,
    incident_count: 2,
  })
})

it('counts the keys that can be used', async () => {
  const operator = await newOperator()
  const soon = new Date(Date.now() + 3_600_000)
  const [revoked] = [await newKey(operator), await newKey(operator)]
  await newKey(operator, ['read'], { expires_at: soon.toISOString() })
  expect((await dashboard(operator.token)).active_api_keys).toBe(3)
  await api('DELETE', `/operators/me/api-keys/${revoked.id}`, { token: operator.token })
  expect((await dashboard(operator.token)).active_api_keys).toBe(2)
  const { body } = await api('GET', PATH, { token: operator.token, now: soon })
  expect(body.active_api_keys).toBe(1)
})

it('is shown to a key with read, and to no other key', async () => {
  const operator = await newOperator()
  await newAgent(operator)
  const [reader, writer] = [await newKey(operator, ['read']), await newKey(operator, ['write'])]
  expect(await dashboard(reader.key)).toEqual(await dashboard(operator.token))
  expectError(await api('GET', PATH, { token: writer.key }), 403, 'FORBIDDEN', /read/)
})
