import { describe, expect, it } from 'vitest'
import { utcDay } from '../../src/lib/time.ts'
import { NOON } from '../support/day.ts'
import { type Body, type Operator, shared, startReceiver } from '../support/harness.ts'

const { api, sql, newOperator, newKey, newPlatform, newReporter, report } = shared()

const incident = (title: string, fields: object = {}) => ({
  event_type: 'incident',
  severity: 'warning',
  metadata: { title, description: `${title}, they say` },
  ...fields,
})

const listed = async (reg: string, query = ''): Promise<Body> => {
  const { status, body, text } = await api('GET', `/agents/${reg}/incidents${query}`)
  expect(status, text).toBe(200)
  return body
}

const titles = ({ data }: Body) => data.map(({ title }: Body) => title)

const resolve = (id: string, { token }: Pick<Operator, 'token'>, resolution = 'fixed', now = new Date()) =>
  api('POST', `/incidents/${id}/resolve`, { token, body: { resolution }, now })

/** The counts of open and all incidents of an agent, wherever they are shown. */
async function countsOf(owner: Operator, reg: string) {
  const { key } = await newKey(owner, ['read'])
  const { body: full } = await api('GET', `/verify/${reg}/full`, { token: key })
  const { body: sums } = await api('GET', '/operators/me/dashboard', { token: owner.token })
  return [full, sums].map(({ open_incident_count, incident_count }) => [open_incident_count, incident_count])
}

/** An agent with one open incident. */
async function withIncident(fields: object = {}) {
  const { operator: owner, reg, key } = await newReporter({ agent: fields })
  await report(key, reg, incident('It burns'))
  const { data } = await listed(reg)
  return { owner, reg, key, id: data[0].incident_id as string }
}

describe('GET /agents/{reg}/incidents', () => {
  it('shows an incident with its twelve fields', async () => {
    const { key, reg } = await newReporter({ now: NOON })
    await report(key, reg, incident('It burns', { severity: 'critical' }), NOON)
    expect((await listed(reg)).data).toEqual([
      {
        incident_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        reg,
        title: 'It burns',
        severity: 'critical',
        status: 'open',
        reported_by: 'operator',
        source: 'self',
        platform: null,
        description: 'It burns, they say',
        created_at: expect.stringMatching(`^${utcDay(NOON)}T12:00:\\d\\d\\.\\d{3}Z$`),
        resolution: null,
        resolved_at: null,
      },
    ])
  })

  it('lists incidents in pages, newest first, optionally of one status', async () => {
    const { owner, key, reg, id } = await withIncident()
    for (const title of ['b', 'c', 'd', 'e']) await report(key, reg, incident(title))
    const pages = [1, 2, 3, 4].map((page) => listed(reg, `?per_page=2&page=${page}`))
    const [first, second, third, past] = await Promise.all(pages)
    expect([first, second, third, past].map(titles)).toEqual([['e', 'd'], ['c', 'b'], ['It burns'], []])
    for (const { pagination } of [first, past])
      expect(pagination).toMatchObject({ total: 5, total_pages: 3, per_page: 2 })
    await resolve(id, owner)
    const [open, resolved] = [await listed(reg, '?status=open'), await listed(reg, '?status=resolved')]
    expect([titles(open), titles(resolved)]).toEqual([['e', 'd', 'c', 'b'], ['It burns']])
    expect([open, resolved].map(({ pagination }) => pagination.total)).toEqual([4, 1])
    expect(resolved.data).toMatchObject([{ status: 'resolved', resolution: 'fixed' }])
  })
})

describe('POST /incidents/{id}/resolve', () => {
  it('resolves an incident once, and decreases the counts of open ones, but not the total or the log', async () => {
    const { owner, reg, key, id } = await withIncident()
    await report(key, reg, incident('It smokes'))
    const now = new Date(Date.now() + 60_000)
    const response = await resolve(id, owner, 'The line was cut.\nIt is whole again. 🧯', now)
    expect(response.status, response.text).toBe(200)
    const [other, shown] = (await listed(reg)).data
    expect(response.body).toEqual(shown)
    expect(shown).toMatchObject({
      incident_id: id,
      status: 'resolved',
      resolution: 'The line was cut.\nIt is whole again. 🧯',
    })
    expect(Date.parse(shown.resolved_at) - now.getTime()).toBeLessThan(10_000)
    expect(Date.parse(shown.resolved_at)).toBeGreaterThanOrEqual(now.getTime())
    const second = await resolve(id, owner, 'second', new Date(Date.now() + 3_600_000))
    expect([second.status, second.body]).toEqual([200, response.body])
    expect(await countsOf(owner, reg)).toEqual(Array(2).fill([1, 2]))

    const writer = await newKey(owner, ['write'])
    const early = new Date(Date.now() - 3_600_000) // never resolved before it was created
    expect((await resolve(other.incident_id, { token: writer.key }, 'x', early)).body).toMatchObject({
      status: 'resolved',
      resolved_at: other.created_at,
    })
    expect(await countsOf(owner, reg)).toEqual(Array(2).fill([0, 2]))
    expect((await api('GET', `/agents/${reg}/activity`)).body.pagination.total).toBe(2)
  })

  it('sends the platform one incident.resolved with the fields of incident.created and the resolution', async () => {
    await using receiver = await startReceiver()
    const platform = await newPlatform(await newOperator(), { webhook_url: receiver.url })
    const { owner, reg, id } = await withIncident({ platform_slug: platform.slug })
    const { body } = await resolve(id, owner, 'water')
    await resolve(id, owner, 'second')
    const [created] = await receiver.arrival(1, 'incident.created')
    const [resolved] = await receiver.arrival(1, 'incident.resolved')
    expect(created?.event.data).toMatchObject({ incident_id: id, reg, status: 'open' })
    expect(resolved?.headers['x-reg-event']).toBe('incident.resolved')
    expect(resolved?.event.data).toEqual({
      ...created?.event.data,
      status: 'resolved',
      resolution: 'water',
      resolved_at: body.resolved_at,
    })
    const sent = `select 1 from webhook_events where type = 'incident.resolved' and data->>'incident_id' = $1`
    expect(await sql(sent, [id])).toHaveLength(1)
  })

  it('works for a deactivated agent, without a webhook event if it is on no platform', async () => {
    const { owner, reg, id } = await withIncident()
    await api('PATCH', `/agents/${reg}`, { token: owner.token, body: { status: 'deactivated' } })
    expect((await resolve(id, owner)).body).toMatchObject({ status: 'resolved' })
    expect(await sql(`select 1 from webhook_events where data->>'incident_id' = $1`, [id])).toEqual([])
  })
})

it('an incident has the texts of its event that are valid, and the event is stored unchanged', async () => {
  const { key, reg } = await newReporter()
  for (const [metadata, texts] of [
    [
      { title: 'Outage\u202e', description: 'Since nine' },
      { title: 'Untitled, severity warning', description: 'Since nine' },
    ],
    [
      { title: 'Outage', description: 'a\u0007' },
      { title: 'Outage', description: '' },
    ],
    [
      { title: ' Lỗi '.normalize('NFD'), description: 'a\r\n\tb' },
      { title: 'Lỗi', description: 'a\n\tb' },
    ],
  ]) {
    const event = await report(key, reg, { event_type: 'incident', severity: 'warning', metadata })
    expect(event.metadata).toEqual(metadata)
    const [newest] = (await listed(reg)).data
    expect(newest).toMatchObject({ created_at: event.created_at, ...texts })
  }
})
