import { expect, it } from 'vitest'
import { AS_SNAPSHOT, tirelessKey, tirelessReporter } from '../support/fill.ts'
import { shared } from '../support/harness.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newKey, newPlatform, newPlatformKey, report } = h

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
  average_trust_score_updated: null,
  active_api_keys: 0,
}

it('is all zeros for a new operator, then sums the events of all agents, from single reports and batches', async () => {
  expect(await dashboard((await newOperator()).token)).toEqual(NOTHING)
  const { operator, agent, reg, key } = await tirelessReporter(h)
  const second = await newAgent(operator)
  const other = await tirelessReporter(h)
  for (const event_type of ['task_completed', 'incident']) await report(other.key, other.reg, { event_type })
  for (let n = 0; n < 5; n++) await report(key, reg)
  await report(key, second.reg, { event_type: 'task_failed', severity: 'critical' })
  await report(key, second.reg, { event_type: 'incident', severity: 'warning' })
  await report(key, second.reg, { event_type: 'heartbeat' })
  const events = ['task_completed', 'task_completed', 'task_failed', 'incident', 'error', 'startup']
  const body = { events: [...events, ''].map((event_type) => ({ reg, event_type })) }
  expect((await api('POST', '/activity/report/batch', { token: key, body })).status).toBe(207)

  const expected = {
    ...NOTHING,
    agent_count: 2,
    active_agent_count: 2,
    total_tasks: 9,
    tasks_completed: 7,
    tasks_failed: 2,
    success_rate: '77.78',
    incident_count: 2,
    open_incident_count: 2,
    active_api_keys: 1,
  }
  expect(await dashboard(operator.token)).toEqual(expected)

  await sql(`${AS_SNAPSHOT} where agent_id = $1`, [agent.id, 80.1])
  await sql(`${AS_SNAPSHOT} where agent_id = $1`, [second.id, 61])
  expect(await dashboard(operator.token)).toEqual({
    ...expected,
    average_trust_score: 70.6,
    average_trust_score_updated: expect.stringMatching(/Z$/),
  })

  await api('PATCH', `/agents/${second.reg}`, { token: operator.token, body: { status: 'deactivated' } })
  expect(await dashboard(operator.token)).toMatchObject({
    agent_count: 2,
    active_agent_count: 1,
    total_tasks: 9,
    incident_count: 2,
    average_trust_score: 80.1,
  })
})

it('averages the scores that the profiles show: before and after a snapshot, and a day later', async () => {
  const operator = await newOperator({ tier: 'pro' })
  const key = await tirelessKey(h, operator, ['read', 'activity:report'])
  const today = new Date()
  const weeksAgo = new Date(today.getTime() - 20 * 86_400_000)
  const agents = await Promise.all(Array.from({ length: 5 }, () => newAgent(operator)))
  const [one, two, three, deactivated, fifth] = agents.map(({ reg }) => reg)
  const reportTasks = async (reg: string, completed: number, failed: number, now: Date) => {
    const events = [...Array(completed).fill('task_completed'), ...Array(failed).fill('task_failed')]
    return h.reportBatch(
      key,
      events.map((event_type) => ({ reg, event_type })),
      now,
    )
  }
  await reportTasks(one, 40, 3, weeksAgo)
  await reportTasks(two, 12, 30, weeksAgo)
  await reportTasks(deactivated, 90, 0, weeksAgo)
  await reportTasks(three, 3, 0, weeksAgo)
  await api('PATCH', `/agents/${deactivated}`, { token: operator.token, body: { status: 'deactivated' } })
  const compare = async (now: Date) => {
    const profiles = await Promise.all(agents.map(({ reg }) => api('GET', `/agents/${reg}`, { now })))
    const scored = profiles
      .map(({ body }) => body)
      .filter(({ status, trust_score_overall }) => status === 'active' && trust_score_overall !== null)
    const shown = scored.map(({ trust_score_overall }) => Math.round(10 * Number(trust_score_overall)))
    const average = Math.round(shown.reduce((sum, tenths) => sum + tenths, 0) / shown.length) / 10
    const { body } = await api('GET', PATH, { token: key, now })
    expect(body.average_trust_score).toBe(average)
    const times = scored.map(({ trust_score_updated }) => trust_score_updated)
    expect(body.average_trust_score_updated).toBe(times.sort().at(-1))
    return shown.length
  }
  const countScored = async () => {
    const rows = await sql(
      'select from agent_stats s join agents a on a.id = s.agent_id where reg = any($1) and unscored_since is null and scored_day is not null',
      [[one, two]],
    )
    return rows.length
  }
  expect(await compare(today)).toBe(2)
  await h.cron(today)
  expect(await countScored()).toBe(2)
  expect(await compare(today)).toBe(2)
  await reportTasks(fifth, 15, 2, today)
  await reportTasks(one, 0, 30, today)
  expect(await compare(today)).toBe(3)
  expect(await compare(new Date(today.getTime() + 86_400_000))).toBe(3)
  expect(await compare(new Date(today.getTime() + 85 * 86_400_000))).toBe(2)
})

it('counts only the keys that are neither revoked nor expired, nor of a platform', async () => {
  const operator = await newOperator()
  await newPlatformKey(operator, (await newPlatform(operator)).slug)
  const soon = new Date(Date.now() + 3_600_000)
  const [revoked] = [await newKey(operator), await newKey(operator)]
  await newKey(operator, ['read'], { expires_at: soon.toISOString() })
  expect((await dashboard(operator.token)).active_api_keys).toBe(3)
  await api('DELETE', `/operators/me/api-keys/${revoked.id}`, { token: operator.token })
  expect((await dashboard(operator.token)).active_api_keys).toBe(2)
  const { body } = await api('GET', PATH, { token: operator.token, now: soon })
  expect(body.active_api_keys).toBe(1)
})
