import { expect, it } from 'vitest'
import { tirelessReporter } from '../support/fill.ts'
import { type Body, shared, startReceiver } from '../support/harness.ts'

const h = shared()
const { api, sql, newAgent, newPlatform } = h

const batch = (token: string, events: object[]) =>
  api('POST', '/activity/report/batch', { token, body: { events } })

it('opens an incident for each incident event, and notifies the platform of each', async () => {
  const receiver = await startReceiver()
  try {
    const { operator, key } = await tirelessReporter(h)
    const platform = await newPlatform(operator, { webhook_url: receiver.url })
    const [{ reg }, { reg: withoutPlatform }] = await Promise.all([
      newAgent(operator, { platform_slug: platform.slug }),
      newAgent(operator),
    ])
    const description = 'on node 7'
    const fields = { reg, status: 'open', reported_by: 'operator', source: 'self', platform: null }
    const { status, body } = await batch(key, [
      { reg, event_type: 'task_completed' },
      {
        reg,
        event_type: 'incident',
        severity: 'critical',
        metadata: { title: 'T'.repeat(300), description },
      },
      { reg: withoutPlatform, event_type: 'incident' },
      { reg, event_type: 'incident', severity: 'warning', metadata: { title: 7 } },
      { reg, event_type: 'incident', severity: 'fatal' },
    ])
    expect({ status, accepted: body.accepted }).toEqual({ status: 207, accepted: 4 })
    const reported = (await receiver.arrival(2, 'incident.created')).map(({ event }) => event)
    const sent = reported.map(({ data: { incident_id, ...data } }) => data)
    expect(sent.sort((a, b) => (a.severity < b.severity ? -1 : 1))).toEqual([
      { ...fields, title: 'T'.repeat(255), description, severity: 'critical' },
      { ...fields, title: expect.stringMatching(/warning/), description: '', severity: 'warning' },
    ])
    const rows = await sql(
      `select i.id, a.reg, i.severity, i.event_id from incidents i join agents a on a.id = i.agent_id
       where a.operator_id = $1 and i.status = 'open' order by i.severity`,
      [operator.id],
    )
    const eventOf = (index: number) => body.data[index].event.id
    const idOf = (severity: string) =>
      reported.find(({ data }) => data.severity === severity)?.data.incident_id
    expect(rows).toEqual([
      { id: idOf('critical'), reg, severity: 'critical', event_id: eventOf(1) },
      { id: expect.any(String), reg: withoutPlatform, severity: 'info', event_id: eventOf(2) },
      { id: idOf('warning'), reg, severity: 'warning', event_id: eventOf(3) },
    ])
    expect((await api('GET', `/agents/${reg}`)).body.incident_count).toBe(2)
    expect((await api('GET', `/agents/${withoutPlatform}`)).body.incident_count).toBe(1)
  } finally {
    await receiver.stop()
  }
})

it('orders the incidents of a batch, their webhook events, and the deliveries as the request does, by their ids', async () => {
  const { operator, key } = await tirelessReporter(h)
  const { token } = operator
  const { slug } = await newPlatform(operator, { webhook_url: 'http://127.0.0.1:9/hook' })
  const agents = await Promise.all([1, 2].map(() => newAgent(operator, { platform_slug: slug })))
  const titles = Array.from({ length: 12 }, (_, n) => `Number ${n}`)
  const events = titles.map((title, n) => ({
    reg: agents[n % 2].reg,
    event_type: 'incident',
    severity: n % 3 ? 'warning' : 'critical',
    metadata: { title },
  }))
  expect((await batch(key, events)).status).toBe(201)
  const opened = await sql(
    'select title from incidents i join agents a on a.id = i.agent_id where operator_id = $1 order by i.id',
    [operator.id],
  )
  expect(opened.map(({ title }) => title)).toEqual(titles)
  const sent = `select e.data->>'title' as title from webhook_deliveries d join webhook_events e on e.id = d.event_id
    join platforms p on p.id = d.platform_id where p.slug = $1 and e.type = 'incident.created'`
  for (const order of ['e.id', 'd.id']) {
    const rows = await sql(`${sent} order by ${order}`, [slug])
    expect([order, rows.map(({ title }) => title)]).toEqual([order, titles])
  }
  const { body } = await api('GET', `/platforms/${slug}/deliveries?type=incident.created`, { token })
  const shown = await sql(`${sent} order by array_position($2::text[], d.event_id)`, [
    slug,
    body.data.map(({ event_id }: Body) => event_id).reverse(),
  ])
  expect(shown.map(({ title }) => title)).toEqual(titles)
})
