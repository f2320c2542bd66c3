import { describe, expect, it } from 'vitest'
import { type Body, expectError, type Operator, shared, startReceiver } from '../support/harness.ts'

const { api, sql, newOperator, newAgent, newKey, newPlatform, newReporter, report } = shared()

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

const resolve = (id: string, token: string, resolution = 'fixed', now?: Date) =>
  api('POST', `/incidents/${id}/resolve`, { token, body: { resolution }, ...(now && { now }) })

const openCount = async (reg: string): Promise<number> => {
  const [row] = await sql(
    'select open_incident_count as open from agent_stats s join agents a on a.id = s.agent_id where reg = $1',
    [reg],
  )
  return row.open
}

/** An agent with one open incident. */
async function withIncident(operator?: Operator, fields: object = {}) {
  const owner = operator ?? (await newOperator())
  const [agent, key] = [await newAgent(owner, fields), await newKey(owner)]
  await report(key.key, agent.reg, incident('It burns'))
  const { data } = await listed(agent.reg)
  return { owner, agent, reg: agent.reg as string, key: key.key as string, id: data[0].incident_id as string }
}

const resolvedEvents = (id: string) =>
  sql(`select data from webhook_events where type = 'incident.resolved' and data->>'incident_id' = $1`, [id])

describe('GET /agents/{reg}/incidents', () => {
  it('shows an incident with its twelve fields', async () => {
    const now = new Date('2026-05-06T07:08:09Z')
    const { key, reg } = await newReporter({ now })
    await report(key, reg, incident('It burns', { severity: 'critical' }), now)
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
        created_at: expect.stringMatching(/^2026-05-06T07:08:09\.\d{3}Z$/),
        resolution: null,
        resolved_at: null,
      },
    ])
  })

  it('lists incidents in pages, newest first', async () => {
    const { key, reg } = await newReporter()
    for (const title of ['a', 'b', 'c', 'd', 'e']) await report(key, reg, incident(title))
    const pages = [1, 2, 3, 4].map((page) => listed(reg, `?per_page=2&page=${page}`))
    const [first, second, third, past] = await Promise.all(pages)
    expect([first, second, third, past].map(titles)).toEqual([['e', 'd'], ['c', 'b'], ['a'], []])
    for (const { pagination } of [first, past])
      expect(pagination).toMatchObject({ total: 5, total_pages: 3, per_page: 2 })
  })

  it('filters by status', async () => {
    const { owner, reg, key, id } = await withIncident()
    await report(key, reg, incident('It smokes'))
    await resolve(id, owner.token)
    const [all, open, resolved] = [
      await listed(reg),
      await listed(reg, '?status=open'),
      await listed(reg, '?status=resolved'),
    ]
    expect([titles(all), titles(open), titles(resolved)]).toEqual([
      ['It smokes', 'It burns'],
      ['It smokes'],
      ['It burns'],
    ])
    expect([all, open, resolved].map(({ pagination }) => pagination.total)).toEqual([2, 1, 1])
    const [filtered] = resolved.data
    expect(filtered).toMatchObject({ status: 'resolved', resolution: 'fixed' })
  })
})

describe('POST /incidents/{id}/resolve', () => {
  it('resolves an incident with a session or a key with write', async () => {
    const { owner, reg, key, id } = await withIncident()
    const now = new Date(Date.now() + 60_000)
    const response = await resolve(id, owner.token, 'The line was cut.\nIt is whole again. 🧯', now)
    expect(response.status, response.text).toBe(200)
    const [shown] = (await listed(reg)).data
    expect(response.body).toEqual(shown)
    expect(shown).toMatchObject({
      incident_id: id,
      status: 'resolved',
      resolution: 'The line was cut.\nIt is whole again. 🧯',
    })
    expect(Date.parse(shown.resolved_at) - now.getTime()).toBeLessThan(10_000)
    expect(Date.parse(shown.resolved_at)).toBeGreaterThanOrEqual(now.getTime())
    expect(await openCount(reg)).toBe(0)

    await report(key, reg, incident('It smokes'))
    const writer = await newKey(owner, ['write'])
    const [{ incident_id }] = (await listed(reg, '?status=open')).data
    expect((await resolve(incident_id, writer.key)).body).toMatchObject({
      status: 'resolved',
      title: 'It smokes',
    })
  })

  it('returns the first resolution to a second request, and notifies only once', async () => {
    const platform = await newPlatform(await newOperator(), { webhook_url: 'http://127.0.0.1:9/hook' })
    const { owner, reg, key, id } = await withIncident(undefined, { platform_slug: platform.slug })
    await report(key, reg, incident('Another'))
    const first = await resolve(id, owner.token, 'first')
    const second = await resolve(id, owner.token, 'second', new Date(Date.now() + 3_600_000))
    expect({ status: second.status, body: second.body }).toEqual({ status: 200, body: first.body })
    expect(first.body.resolution).toBe('first')
    expect(await openCount(reg)).toBe(1)
    expect(await resolvedEvents(id)).toHaveLength(1)
  })

  it('decreases every count of open incidents, but neither the total nor the log', async () => {
    const { owner, reg, id } = await withIncident()
    const reader = await newKey(owner, ['read'])
    const full = async () => (await api('GET', `/verify/${reg}/full`, { token: reader.key })).body
    const sums = async () => (await api('GET', '/operators/me/dashboard', { token: owner.token })).body
    expect(await full()).toMatchObject({ incident_count: 1, open_incident_count: 1 })
    await resolve(id, owner.token)
    expect(await full()).toMatchObject({ incident_count: 1, open_incident_count: 0 })
    expect(await sums()).toMatchObject({ incident_count: 1, open_incident_count: 0 })
    const { body: log } = await api('GET', `/agents/${reg}/activity`)
    expect(log.pagination.total).toBe(1)
  })

  it('sends the platform incident.resolved with the fields of incident.created and the resolution', async () => {
    const receiver = await startReceiver()
    try {
      const platform = await newPlatform(await newOperator(), { webhook_url: receiver.url })
      const { owner, reg, id } = await withIncident(undefined, { platform_slug: platform.slug })
      const { body } = await resolve(id, owner.token, 'water')
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
    } finally {
      await receiver.stop()
    }
  })

  it('works for a deactivated agent, without a webhook event if it is on no platform', async () => {
    const { owner, reg, id } = await withIncident()
    await api('PATCH', `/agents/${reg}`, { token: owner.token, body: { status: 'deactivated' } })
    expect((await resolve(id, owner.token)).body).toMatchObject({ status: 'resolved' })
    expect([await openCount(reg), await resolvedEvents(id)]).toEqual([0, []])
  })

  it('never sets resolved_at before created_at, even if the clock has gone back', async () => {
    const { owner, reg, id } = await withIncident()
    const { body } = await resolve(id, owner.token, 'x', new Date(Date.now() - 3_600_000))
    expect(body.resolved_at).toBe((await listed(reg)).data[0].created_at)
  })

  it('rejects a platform key, even with the permission write', async () => {
    const { owner, reg, id } = await withIncident()
    const { slug } = await newPlatform(owner)
    const key = await newKey(owner, ['write'])
    await sql('update api_keys set platform_id = (select id from platforms where slug = $2) where id = $1', [
      key.id,
      slug,
    ])
    expectError(await resolve(id, key.key), 403, 'FORBIDDEN', /platform/)
    expect(await openCount(reg)).toBe(1)
  })
})
