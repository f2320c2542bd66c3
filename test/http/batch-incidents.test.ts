import { expect, it } from 'vitest'
import { tirelessReporter } from '../support/fill.ts'
import { type Body, shared } from '../support/harness.ts'

const h = shared()
const { api, sql, newAgent, newPlatform } = h

it('opens an incident for each incident event of a batch, and tells the platform of each, in the order of the request', async () => {
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
  const invalid = { ...events[0], severity: 'fatal' }
  const body = { events: [...events, invalid] }
  const response = await api('POST', '/activity/report/batch', { token: key, body })
  expect([response.status, response.body.accepted]).toEqual([207, titles.length])
  const opened = await sql(
    `select i.id, title, event_id from incidents i join agents a on a.id = i.agent_id
     where operator_id = $1 order by i.id`,
    [operator.id],
  )
  expect(opened.map(({ title }) => title)).toEqual(titles)
  const ids = response.body.data.slice(0, titles.length).map(({ event }: Body) => event.id)
  expect(opened.map(({ event_id }) => event_id)).toEqual(ids)
  const sent = `select e.data from webhook_deliveries d join webhook_events e on e.id = d.event_id
    join platforms p on p.id = d.platform_id where p.slug = $1 and e.type = 'incident.created'`
  for (const order of ['e.id', 'd.id']) {
    const rows = await sql(`${sent} order by ${order}`, [slug])
    expect(rows.map(({ data }) => data)).toEqual(
      events.map(({ reg, severity, metadata }, n) => ({
        incident_id: opened[n].id,
        reg,
        ...metadata,
        severity,
        status: 'open',
        description: '',
        reported_by: 'operator',
        source: 'self',
        platform: null,
      })),
    )
  }
  const { body: deliveries } = await api('GET', `/platforms/${slug}/deliveries?type=incident.created`, {
    token,
  })
  const shown = await sql(`${sent} order by array_position($2::text[], d.event_id)`, [
    slug,
    deliveries.data.map(({ event_id }: Body) => event_id).reverse(),
  ])
  expect(shown.map(({ data }) => data.title)).toEqual(titles)
})
