import { describe, expect, it } from 'vitest'
import { HOUR_MS } from '../../src/lib/time.ts'
import {
  ago,
  deliveriesOf,
  fillDeliveries,
  type Integration,
  newIntegration,
  type Sent,
  sendSigned,
  settled,
} from '../support/deliveries.ts'
import { eventually } from '../support/fill.ts'
import { type Body, expectError, shared } from '../support/harness.ts'
import { ISO, UUID } from '../support/shapes.ts'

const h = shared()
const { api, newAgent, newPlatform } = h

const ids = (list: Body[]) => list.map(({ id }) => id)

describe('GET /platforms/{slug}/deliveries', () => {
  const list = async ({ ask }: Integration, query = '') => {
    const response = await ask('GET', `/deliveries?${query}`)
    expect(response.status, response.text).toBe(200)
    return response.body
  }

  it('lists deliveries with exactly their fields, newest first', async () => {
    await using integration = await newIntegration(h)
    const { operator, platform, receiver } = integration
    const due = ago(-HOUR_MS)
    const agent = await newAgent(operator, { platform_slug: platform.slug })
    await settled(h, integration, 'delivered')
    const waiting: Sent[] = [
      { status: 'pending', at: due },
      { status: 'skipped', at: ago(-HOUR_MS / 2) },
    ]
    const [pending, skipped] = await fillDeliveries(h, platform.slug, waiting)
    const { data, pagination } = await list(integration)
    expect(pagination).toEqual({ page: 1, per_page: 20, total: 3, total_pages: 1 })
    expect(data).toEqual([
      expect.objectContaining({ ...pending, status: 'pending', next_attempt_at: due.toISOString() }),
      expect.objectContaining({ ...skipped, next_attempt_at: null, attempts: 0, delivered_at: null }),
      {
        id: UUID,
        event_id: receiver.received[0]?.event.id,
        type: 'agent.registered',
        status: 'delivered',
        attempts: 1,
        created_at: agent.registered_at,
        next_attempt_at: null,
        delivered_at: ISO,
      },
    ])
    expect((await integration.ask('GET', `/deliveries/${pending.id}`)).body.attempt_log).toEqual([])
  })

  it('filters by status, type and time, separately and combined', async () => {
    await using integration = await newIntegration(h)
    const noon = Date.parse('2126-10-10T12:00:00Z') // in the future: the cleanup deletes rows that are a month old
    const all = await fillDeliveries(h, integration.platform.slug, [
      { status: 'delivered', type: 'trust.updated', at: new Date(noon) },
      { status: 'failed', type: 'trust.updated', at: new Date(noon + HOUR_MS) },
      { status: 'failed', type: 'agent.updated', at: new Date(noon + 12 * HOUR_MS) },
      { status: 'skipped', type: 'agent.updated', at: new Date(noon + 13 * HOUR_MS) },
    ])
    const cases: [query: string, positions: number[]][] = [
      ['', [3, 2, 1, 0]],
      ['status=failed', [2, 1]],
      ['status=pending', []],
      ['type=trust.updated', [1, 0]],
      ['from=2126-10-10T13:00:00Z', [3, 2, 1]],
      ['from=2126-10-10T15:00:00.001%2B02:00', [3, 2]],
      ['to=2126-10-10T13:00:00Z', [0]],
      ['from=2126-10-11', [3, 2]],
      ['status=failed&type=agent.updated&from=2126-10-11&to=2126-10-12', [2]],
    ]
    for (const [query, positions] of cases) {
      const { data, pagination } = await list(integration, query)
      expect([query, ids(data)]).toEqual([query, positions.map((n) => all[n]?.id)])
      expect([query, pagination.total]).toEqual([query, positions.length])
    }
  })

  it('returns every delivery exactly once over all pages, with links that keep the filters', async () => {
    await using integration = await newIntegration(h)
    const at = ago(HOUR_MS)
    const sent = Array.from({ length: 7 }, (): Sent => ({ status: 'failed', at })) // all at the same time
    const made = await fillDeliveries(h, integration.platform.slug, sent)
    const pages = []
    for (const page of [1, 2, 3, 4])
      pages.push(await list(integration, `status=failed&per_page=3&page=${page}`))
    expect(pages.map(({ data }) => data.length)).toEqual([3, 3, 1, 0])
    expect(pages.flatMap(({ data }) => ids(data)).sort()).toEqual(ids(made).sort())
    const { headers } = await integration.ask('GET', '/deliveries?status=failed&per_page=3')
    expect(headers.get('link')).toMatch(/\/deliveries\?status=failed&per_page=3&page=2>; rel="next"/)
  })
})

describe('GET /platforms/{slug}/deliveries/{id}', () => {
  const attempted = (platform: Body) =>
    eventually(
      () => deliveriesOf(h, platform),
      ([one]) => one.attempts === 1 && one.lease_until === null,
    )

  it('shows the exact payload that was sent, and each attempt', async () => {
    await using integration = await newIntegration(h)
    const { operator, platform, receiver, ask } = integration
    receiver.respond({ status: 503, body: 'come back "later"' })
    await newAgent(operator, { name: 'Ümläut 🤖', platform_slug: platform.slug, specializations: ['b', 'a'] })
    const [row] = await attempted(platform)
    const { body } = await ask('GET', `/deliveries/${row.id}`)
    const { payload, attempt_log, ...item } = body
    expect(JSON.stringify(payload)).toBe(receiver.received[0]?.raw)
    const started = Date.parse(attempt_log[0].started_at)
    expect(attempt_log).toEqual([
      {
        number: 1,
        started_at: expect.stringMatching(/Z$/),
        duration_ms: expect.any(Number),
        response_status: 503,
        error: null,
        response_excerpt: 'come back "later"',
      },
    ])
    expect(item).toMatchObject({ status: 'pending', attempts: 1, next_attempt_at: expect.any(String) })
    expect(Date.parse(item.next_attempt_at) - started).toBe(60_000)
    expect((await ask('GET', '/deliveries')).body.data).toEqual([item])
  })

  it('shows why there was no response', async () => {
    await using integration = await newIntegration(h, { webhook_url: 'http://127.0.0.1:9/closed' })
    const { ask, platform } = integration
    const { body: sent } = await ask('POST', '/webhook-test', { body: { type: 'trust.updated' } })
    await attempted(platform)
    const { body } = await ask('GET', `/deliveries/${sent.id}`)
    expect(body.attempt_log).toMatchObject([{ number: 1, response_status: null, error: 'connection failed' }])
  })
})

it('an attempt that QStash gave up is published again, unless it has an outcome', async () => {
  await using integration = await newIntegration(h)
  const { platform } = integration
  const [waiting, begun, made, ended] = await fillDeliveries(
    h,
    platform.slug,
    (['pending', 'pending', 'pending', 'failed'] as const).map((status, n) => ({
      status,
      at: ago(-HOUR_MS - n),
      attempts: n === 0 ? 1 : 2,
    })),
  )
  await h.sql(
    `update webhook_deliveries set published_at = now(), lease_until = case when id = $2 then now() end
     where platform_id = (select id from platforms where slug = $1)`,
    [platform.slug, begun.id],
  )
  for (const { id } of [waiting, begun, made, ended]) {
    const sourceBody = btoa(JSON.stringify({ delivery_id: id, attempt: 2, host: '127.0.0.1' }))
    const response = await sendSigned(h, '/internal/qstash/failed', { sourceBody })
    expect(response).toMatchObject({ status: 200, body: { done: true } })
  }
  const published = (await deliveriesOf(h, platform)).map(({ published_at }) => published_at !== null)
  expect(published).toEqual([false, false, true, true])
})

it('a delivery is not found under another platform of its operator', async () => {
  await using integration = await newIntegration(h)
  const { operator, platform } = integration
  const [{ id }] = await fillDeliveries(h, platform.slug, [{ status: 'failed', at: ago(0) }])
  const { slug } = await newPlatform(operator, { webhook_url: integration.receiver.url })
  for (const [method, action] of [
    ['GET', ''],
    ['POST', '/redeliver'],
    ['POST', '/retry-now'],
  ] as const) {
    const path = `/platforms/${slug}/deliveries/${id}${action}`
    expectError(await api(method, path, { token: operator.token }), 404, 'NOT_FOUND', RegExp(id))
  }
  expect(await deliveriesOf(h, platform)).toHaveLength(1)
})
