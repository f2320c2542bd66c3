import { expect, it } from 'vitest'
import { NOON, plus } from '../support/day.ts'
import { type Body, type Operator, shared } from '../support/harness.ts'

const { api, newAgent, newOperator, newPlatform, newPlatformKey, newReporter, report, reportBatch, sql } =
  shared()

const alerts = async ({ token }: Operator): Promise<Body[]> =>
  (await api('GET', '/operators/me/notifications', { token })).body.data

const at = (second: number) => plus(second * 1_000, NOON)

it('notifies the operator when an incident opens, named by its title or severity, unless it is turned off', async () => {
  const { operator, reg, key } = await newReporter()
  const metadata = { title: ' Wrong totals ', description: 'Three invoices.' }
  await report(key, reg, { event_type: 'incident', severity: 'error', metadata })
  await report(key, reg, { event_type: 'error', severity: 'critical' })
  await report(key, reg, { event_type: 'incident', severity: 'warning', metadata: { title: ' \n\t ' } })
  const expected = [
    expect.objectContaining({ title: 'Incident: Untitled, severity warning' }),
    expect.objectContaining({
      type: 'incident_alert',
      reg,
      title: 'Incident: Wrong totals',
      body: 'Severity error, reported by its operator. Three invoices.',
      read_at: null,
    }),
  ]
  expect(await alerts(operator)).toEqual(expected)
  const body = { notification_prefs: { incident_alerts: false } }
  await api('PATCH', '/operators/me', { token: operator.token, body })
  await report(key, reg, { event_type: 'incident' })
  await reportBatch(key, [{ reg, event_type: 'incident' }])
  expect(await alerts(operator)).toEqual(expected)
  expect((await api('GET', `/agents/${reg}/incidents`)).body.pagination.total).toBe(4)
})

it('sends one notification for each agent of a batch, about its most severe incident', async () => {
  const [host, operator] = await Promise.all([newOperator(), newOperator()])
  const { slug } = await newPlatform(host)
  const [one, two] = await Promise.all([1, 2].map(() => newAgent(operator, { platform_slug: slug })))
  const { key } = await newPlatformKey(host, slug)
  const incident = (reg: string, severity: string, title: string) => {
    return { reg, event_type: 'incident', severity, metadata: { title, description: `${title}, they say.` } }
  }
  const events = [
    ...Array.from({ length: 97 }, (_, n) => incident(one.reg, n % 2 ? 'error' : 'info', `A ${n}`)),
    incident(one.reg, 'critical', 'Worst'),
    incident(one.reg, 'warning', '0'),
    incident(two.reg, 'warning', 'Only'),
  ]
  await reportBatch(key, events)
  const reported = (await alerts(operator)).map(({ reg, title, body }) => ({ reg, title, body }))
  expect(reported).toHaveLength(2)
  expect(reported).toContainEqual({
    reg: one.reg,
    title: 'Incident: Worst, and 98 more',
    body: expect.stringMatching(
      `^Severity critical, reported by platform ${slug} \\(self\\)\\. Worst, .* no notifications about further`,
    ),
  })
  expect(reported).toContainEqual({
    reg: two.reg,
    title: 'Incident: Only',
    body: `Severity warning, reported by platform ${slug} (self). Only, they say.`,
  })
  expect(await alerts(host)).toEqual([])
})

it('notifies of at most twenty reports per agent and minute, besides critical ones, and says so in the last', async () => {
  const { operator, reg, key } = await newReporter()
  // Two seconds apart: the clock runs on within a request, so equal times would be in any order.
  const open = async (count: number, severity: string, now: Date) => {
    for (let n = 0; n < count; n++) {
      const time = new Date(now.getTime() + 2_000 * n)
      await report(key, reg, { event_type: 'incident', severity }, time)
    }
  }
  await open(22, 'info', at(0))
  await open(1, 'critical', at(59))
  const reported = await alerts(operator) // the first page
  const isMatch = (text: string) => reported.filter(({ title, body }) => `${title} ${body}`.includes(text))
  expect([isMatch('critical'), isMatch('no notifications about further incidents')]).toMatchObject([
    [{}],
    [{}],
  ])
  const countOf = async () =>
    (await api('GET', '/operators/me/notifications', { token: operator.token })).body.pagination.total
  expect(await countOf()).toBe(21)
  await open(1, 'info', at(60))
  expect(await countOf()).toBe(22)
})

it('opens incidents however many the minute has had', async () => {
  const { agent, reg, key } = await newReporter()
  await report(key, reg, { event_type: 'incident' }, at(0))
  const most = 'update agent_stats set minute_incidents = 32760, minute_criticals = 32760 where agent_id = $1'
  await sql(most, [agent.id])
  const events = Array.from({ length: 40 }, (_, n) => {
    return { reg, event_type: 'incident', severity: n % 2 ? 'critical' : 'warning' }
  })
  expect(await reportBatch(key, events, at(30))).toHaveLength(40)
})
