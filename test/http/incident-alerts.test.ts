import { expect, it } from 'vitest'
import { type Body, type Operator, shared } from '../harness.ts'

const { api, newAgent, newKey, newOperator, newPlatform, newReporter, report, sql } = shared()

const alerts = async ({ token }: Operator): Promise<Body[]> =>
  (await api('GET', '/operators/me/notifications', { token })).body.data

it('tells the operator of an incident when it opens', async () => {
  const { operator, reg, key } = await newReporter()
  const metadata = { title: 'Wrong totals', description: 'Three invoices.' }
  await report(key, reg, { event_type: 'incident', severity: 'error', metadata })
  await report(key, reg, { event_type: 'error', severity: 'critical' })
  expect(await alerts(operator)).toEqual([
    expect.objectContaining({
      type: 'incident_alert',
      reg,
      title: 'Incident: Wrong totals',
      body: 'Severity error. Three invoices.',
      read_at: null,
    }),
  ])
})

it('tells of each incident of a batch, whoever reports it', async () => {
  const [keeper, operator] = await Promise.all([newOperator(), newOperator()])
  const { slug } = await newPlatform(keeper)
  const [one, two] = await Promise.all([1, 2].map(() => newAgent(operator, { platform_slug: slug })))
  const body = { name: 'market', permissions: ['activity:report'] }
  const { key } = (await api('POST', `/platforms/${slug}/api-keys`, { token: keeper.token, body })).body
  const events = [one.reg, two.reg, one.reg].map((reg) => ({ reg, event_type: 'incident' }))
  const answer = await api('POST', '/activity/report/batch', { token: key, body: { events } })
  expect(answer.status).toBe(201)
  expect((await alerts(operator)).map(({ reg }) => reg).sort()).toEqual([one.reg, one.reg, two.reg].sort())
  expect(await alerts(keeper)).toEqual([])
})

it('tells nothing to an operator who has switched it off, and opens the incident all the same', async () => {
  const { operator, agent, reg, key } = await newReporter()
  const body = { notification_prefs: { incident_alerts: false } }
  await api('PATCH', '/operators/me', { token: operator.token, body })
  await report(key, reg, { event_type: 'incident' })
  const events = [{ reg, event_type: 'incident' }]
  await api('POST', '/activity/report/batch', { token: key, body: { events } })
  expect(await alerts(operator)).toEqual([])
  expect(await sql('select 1 from incidents where agent_id = $1', [agent.id])).toHaveLength(2)
})

it('tells once, however often the report is repeated', async () => {
  const { operator, reg } = await newReporter()
  const { key } = await newKey(operator)
  const call = {
    token: key,
    body: { reg, event_type: 'incident' },
    headers: { 'Idempotency-Key': 'once' },
  }
  await Promise.all(Array.from({ length: 20 }, () => api('POST', '/activity/report', call)))
  expect(await alerts(operator)).toHaveLength(1)
})
