import { describe, expect, it } from 'vitest'
import {
  deliveriesOf,
  disable,
  fillDeliveries,
  type Integration,
  newIntegration,
  type Sent,
} from '../support/deliveries.ts'
import { eventually } from '../support/fill.ts'
import { type Body, expectError, shared } from '../support/harness.ts'
import { expectSigned } from '../support/signature.ts'

const h = shared()
const { api, sql, newAgent, newOperator, newPlatform } = h

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const ago = (ms: number) => new Date(Date.now() - ms)
const UNKNOWN = '00000000-0000-7000-8000-000000000000'

const ids = (list: Body[]) => list.map(({ id }) => id)
const settled = ({ platform }: Integration, status: string, count = 1) =>
  eventually(
    () => deliveriesOf(h, platform),
    (all) => all.filter((one) => one.status === status).length >= count,
  )

describe('GET /platforms/{slug}/deliveries', () => {
  const list = async ({ ask }: Integration, query = '') => {
    const answer = await ask('GET', `/deliveries?${query}`)
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }

  it('shows what was sent with exactly its fields, newest first', async () => {
    await using integration = await newIntegration(h)
    const { operator, platform, receiver } = integration
    const first = await newAgent(operator, { platform_slug: platform.slug })
    await newAgent(operator, { platform_slug: platform.slug }, new Date(Date.now() + 1_000))
    await settled(integration, 'delivered', 2)
    const { data, pagination } = await list(integration)
    expect(pagination).toEqual({ page: 1, per_page: 20, total: 2, total_pages: 1 })
    expect(data[1]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      event_id: receiver.received.find(({ event }) => event.data.reg === first.reg)?.event.id,
      type: 'agent.registered',
      status: 'delivered',
      attempts: 1,
      created_at: first.registered_at,
      next_attempt_at: null,
      delivered_at: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    expect(Date.parse(data[0].created_at)).toBeGreaterThan(Date.parse(data[1].created_at))
  })

  it('shows when the next attempt of a pending one is due, and of no other', async () => {
    await using integration = await newIntegration(h)
    const due = ago(-HOUR_MS)
    await fillDeliveries(h, integration.platform.slug, [
      { status: 'pending', at: due },
      { status: 'skipped', at: ago(0) },
    ])
    await sql(
      `update webhook_deliveries d set next_attempt_at = d.created_at from platforms p
       where p.id = d.platform_id and p.slug = $1`,
      [integration.platform.slug],
    )
    const { data } = await list(integration)
    expect(data).toMatchObject([
      { status: 'pending', next_attempt_at: due.toISOString() },
      { status: 'skipped', next_attempt_at: null, attempts: 0, delivered_at: null },
    ])
  })

  describe('filters', () => {
    const NOON = Date.parse('2026-10-10T12:00:00Z')
    const sent: Sent[] = [
      { status: 'delivered', type: 'trust.updated', at: new Date(NOON) },
      { status: 'failed', type: 'trust.updated', at: new Date(NOON + HOUR_MS) },
      { status: 'failed', type: 'agent.updated', at: new Date(NOON + 12 * HOUR_MS) },
      { status: 'skipped', type: 'agent.updated', at: new Date(NOON + 13 * HOUR_MS) },
    ]

    it('by status, type and time, each alone and all together', async () => {
      await using integration = await newIntegration(h)
      const all = ids(await fillDeliveries(h, integration.platform.slug, sent))
      const cases: [query: string, positions: number[]][] = [
        ['', [3, 2, 1, 0]],
        ['status=failed', [2, 1]],
        ['status=skipped', [3]],
        ['status=pending', []],
        ['type=trust.updated', [1, 0]],
        ['type=operator.kyc_verified', []],
        ['from=2026-10-10T13:00:00Z', [3, 2, 1]],
        ['from=2026-10-10T15:00:00.001%2B02:00', [3, 2]],
        ['to=2026-10-10T13:00:00Z', [0]],
        ['from=2026-10-11', [3, 2]],
        ['to=2026-10-11', [1, 0]],
        ['status=failed&type=agent.updated&from=2026-10-11&to=2026-10-12', [2]],
      ]
      for (const [query, positions] of cases) {
        const { data, pagination } = await list(integration, query)
        expect([query, ids(data)]).toEqual([query, positions.map((n) => all[n])])
        expect([query, pagination.total]).toEqual([query, positions.length])
      }
    })

    it.each([
      'status=lost',
      'status=',
      'type=agent.exploded',
      'from=yesterday',
      'to=2026-13-01',
      'from=0000-01-01',
    ])('refuses %s and names it', async (query) => {
      await using integration = await newIntegration(h)
      const answer = await integration.ask('GET', `/deliveries?${query}`)
      expectError(answer, 400, 'VALIDATION_ERROR', new RegExp(`^${query.split('=')[0]}: `))
    })
  })

  it('covers everything once, page by page, with links that keep the filters', async () => {
    await using integration = await newIntegration(h)
    const at = ago(HOUR_MS)
    const sent = Array.from({ length: 7 }, (): Sent => ({ status: 'failed', at })) // of one instant
    const made = await fillDeliveries(h, integration.platform.slug, sent)
    const pages = []
    for (const page of [1, 2, 3, 4])
      pages.push(await list(integration, `status=failed&per_page=3&page=${page}`))
    expect(pages.map(({ data }) => data.length)).toEqual([3, 3, 1, 0])
    expect(pages.flatMap(({ data }) => ids(data)).sort()).toEqual(ids(made).sort())
    const { headers } = await integration.ask('GET', '/deliveries?status=failed&per_page=3')
    expect(headers.get('link')).toMatch(/\/deliveries\?status=failed&per_page=3&page=2>; rel="next"/)
  })

  it('counts to 10,000 and ends there, with and without a filter', async () => {
    await using integration = await newIntegration(h)
    const sent = Array.from({ length: 10_001 }, (_, n): Sent => ({ status: 'delivered', at: ago(n * 1_000) }))
    await fillDeliveries(h, integration.platform.slug, sent)
    for (const filter of ['', 'status=delivered&', 'type=incident.resolved&']) {
      const last = await list(integration, `${filter}per_page=50&page=200`)
      expect([filter, last.pagination.total, last.data.length]).toEqual([filter, 10_000, 50])
      expect((await list(integration, `${filter}per_page=50&page=201`)).data).toEqual([])
    }
    expect((await list(integration, 'page=1000000000')).data).toEqual([])
  })

  it('knows no platform but those of the caller', async () => {
    await using integration = await newIntegration(h)
    const { token } = await newOperator()
    expectError(await api('GET', `${integration.path}/deliveries`, { token }), 404, 'NOT_FOUND', /platform/)
    expectError(await api('GET', '/platforms/nowhere/deliveries', { token }), 404, 'NOT_FOUND', /nowhere/)
  })
})

describe('GET /platforms/{slug}/deliveries/{id}', () => {
  it('shows the payload byte by byte as it was sent, and each attempt', async () => {
    await using integration = await newIntegration(h)
    const { operator, platform, receiver, ask } = integration
    receiver.answer({ status: 503, body: 'come back "later"' })
    await newAgent(operator, { name: 'Ümläut 🤖', platform_slug: platform.slug, specializations: ['b', 'a'] })
    const [row] = await eventually(
      () => deliveriesOf(h, platform),
      ([one]) => one.attempts === 1 && one.lease_until === null,
    )
    const { body } = await ask('GET', `/deliveries/${row.id}`)
    const { payload, attempt_log, ...item } = body
    expect(JSON.stringify(payload)).toBe(receiver.received[0]?.raw)
    const began = Date.parse(attempt_log[0].started_at)
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
    expect(Date.parse(item.next_attempt_at) - began).toBe(60_000)
    expect((await ask('GET', '/deliveries')).body.data).toEqual([item])
  })

  it('says why there was no answer', async () => {
    await using integration = await newIntegration(h, { webhook_url: 'http://127.0.0.1:9/closed' })
    const { ask, platform } = integration
    const { body: sent } = await ask('POST', '/webhook-test', { body: { type: 'trust.updated' } })
    await eventually(
      () => deliveriesOf(h, platform),
      ([one]) => one.attempts === 1 && one.lease_until === null,
    )
    const { body } = await ask('GET', `/deliveries/${sent.id}`)
    expect(body.attempt_log).toMatchObject([{ number: 1, response_status: null, error: 'connection failed' }])
  })

  it('finds nothing that is not of this platform of the caller', async () => {
    await using integration = await newIntegration(h)
    const { operator, platform, path, ask } = integration
    const [{ id }] = await fillDeliveries(h, platform.slug, [{ status: 'failed', at: ago(0) }])
    const other = await newPlatform(operator)
    const stranger = await newOperator()
    const get = (to: string, token: string) => api('GET', to, { token })
    expectError(
      await get(`/platforms/${other.slug}/deliveries/${id}`, operator.token),
      404,
      'NOT_FOUND',
      RegExp(id),
    )
    expectError(await get(`${path}/deliveries/${id}`, stranger.token), 404, 'NOT_FOUND')
    expectError(await ask('GET', `/deliveries/${UNKNOWN}`), 404, 'NOT_FOUND')
    expectError(await ask('GET', '/deliveries/17'), 400, 'VALIDATION_ERROR', /^id: must be a UUID/)
    expect((await ask('GET', `/deliveries/${id}`)).body.attempt_log).toHaveLength(5)
  })
})

describe('POST /platforms/{slug}/deliveries/{id}/redeliver', () => {
  it('sends the same event once more, as a delivery of its own', async () => {
    await using integration = await newIntegration(h)
    const { operator, platform, receiver, ask } = integration
    await newAgent(operator, { platform_slug: platform.slug })
    const [first] = await settled(integration, 'delivered')
    const { status, body } = await ask('POST', `/deliveries/${first.id}/redeliver`)
    expect(status).toBe(202)
    expect(body).toEqual({
      id: expect.not.stringMatching(first.id),
      event_id: first.event_id,
      type: 'agent.registered',
      status: 'pending',
      attempts: 0,
      created_at: expect.stringMatching(/Z$/),
      next_attempt_at: body.created_at,
      delivered_at: null,
    })
    const [one, two] = await receiver.arrival(2)
    expect(two?.raw).toBe(one?.raw)
    if (two) expectSigned(two, platform.webhook_secret)
    await settled(integration, 'delivered', 2)
    const { body: after } = await ask('GET', '/deliveries')
    expect(ids(after.data)).toEqual([body.id, first.id])
    expect(after.data).toMatchObject([{ status: 'delivered' }, { status: 'delivered', attempts: 1 }])
  })

  it.each(['delivered', 'failed', 'skipped'] as const)('repeats what was %s [delivery-9]', async (status) => {
    await using integration = await newIntegration(h)
    const [old] = await fillDeliveries(h, integration.platform.slug, [{ status, at: ago(20 * DAY_MS) }])
    expect((await integration.ask('POST', `/deliveries/${old.id}/redeliver`)).status).toBe(202)
    const [webhook] = await integration.receiver.arrival(1)
    expect(webhook?.event.id).toBe(old.event_id)
  })

  it('is a conflict while a delivery of the event is pending: this one or another [delivery-10]', async () => {
    await using integration = await newIntegration(h)
    const { platform, ask } = integration
    const [old] = await fillDeliveries(h, platform.slug, [{ status: 'failed', at: ago(HOUR_MS) }])
    const [pending] = await fillDeliveries(h, platform.slug, [
      { status: 'pending', at: ago(-HOUR_MS), event_id: old.event_id },
    ])
    for (const { id } of [old, pending]) {
      expectError(await ask('POST', `/deliveries/${id}/redeliver`), 409, 'CONFLICT', /pending/)
    }
    expect(await deliveriesOf(h, platform)).toHaveLength(2)
  })

  it('is a conflict while the webhook is disabled or has no URL [delivery-11]', async () => {
    await using integration = await newIntegration(h)
    const { platform, ask } = integration
    const [{ id }] = await fillDeliveries(h, platform.slug, [{ status: 'failed', at: ago(HOUR_MS) }])
    await disable(h, platform)
    expectError(await ask('POST', `/deliveries/${id}/redeliver`), 409, 'CONFLICT', /disabled/)
    await sql('update platforms set webhook_url = null where slug = $1', [platform.slug])
    expectError(await ask('POST', `/deliveries/${id}/redeliver`), 409, 'CONFLICT', /webhook_url/)
    expectError(await ask('POST', `/deliveries/${UNKNOWN}/redeliver`), 404, 'NOT_FOUND')
    expect(await deliveriesOf(h, platform)).toHaveLength(1)
  })

  it('repeats nothing of another platform', async () => {
    await using integration = await newIntegration(h)
    await using other = await newIntegration(h)
    const [{ id }] = await fillDeliveries(h, integration.platform.slug, [
      { status: 'failed', at: ago(HOUR_MS) },
    ])
    expectError(await other.ask('POST', `/deliveries/${id}/redeliver`), 404, 'NOT_FOUND')
    const { token } = other.operator
    const answer = await api('POST', `${integration.path}/deliveries/${id}/redeliver`, { token })
    expectError(answer, 404, 'NOT_FOUND')
    expect(await deliveriesOf(h, integration.platform)).toHaveLength(1)
    expect(await deliveriesOf(h, other.platform)).toHaveLength(0)
  })

  it('keeps the event for as long as one of its deliveries is kept', async () => {
    await using integration = await newIntegration(h)
    const { platform, receiver, ask } = integration
    const [old] = await fillDeliveries(h, platform.slug, [{ status: 'failed', at: ago(HOUR_MS) }])
    const { status, body: again } = await ask('POST', `/deliveries/${old.id}/redeliver`)
    expect(status).toBe(202)
    await receiver.arrival(1)
    // Aged only now: the jobs of any other test delete what is old at once.
    const age = `set created_at = created_at - interval '31 days'`
    await h.sql(`update webhook_events ${age} where id = $1`, [old.event_id])
    await h.sql(`update webhook_deliveries ${age} where id = $1`, [old.id])
    await eventually(
      async () => {
        await h.cron()
        return deliveriesOf(h, platform)
      },
      (left) => left.length === 1,
    )
    expect(ids(await deliveriesOf(h, platform))).toEqual([again.id])
    const { body } = await ask('GET', `/deliveries/${again.id}`)
    expect(body.payload).toMatchObject({ id: old.event_id, data: receiver.received[0]?.event.data })
  })
})

describe('POST /platforms/{slug}/deliveries/recover', () => {
  const recover = ({ ask }: Integration, since: Date | string) =>
    ask('POST', '/deliveries/recover', { body: { since } })

  it('sends again what has failed or was skipped since then, and a second time nothing [delivery-12]', async () => {
    await using integration = await newIntegration(h)
    const { platform, receiver } = integration
    const made = await fillDeliveries(h, platform.slug, [
      { status: 'failed', at: ago(30 * HOUR_MS) },
      { status: 'failed', at: ago(20 * HOUR_MS) },
      { status: 'delivered', at: ago(19 * HOUR_MS) },
      { status: 'skipped', at: ago(18 * HOUR_MS) },
      { status: 'pending', at: ago(-HOUR_MS) },
    ])
    const first = await recover(integration, ago(24 * HOUR_MS))
    expect({ status: first.status, body: first.body }).toEqual({
      status: 200,
      body: { count: 2, more: false },
    })
    expect((await recover(integration, ago(24 * HOUR_MS))).body).toEqual({ count: 0, more: false })
    const sent = (await receiver.arrival(2)).map(({ event }) => event.id)
    expect(sent.sort()).toEqual([made[1].event_id, made[3].event_id].sort())
    await settled(integration, 'delivered', 3)
    expect((await recover(integration, ago(24 * HOUR_MS))).body.count).toBe(0)
    expect((await recover(integration, ago(48 * HOUR_MS))).body.count).toBe(1)
  })

  it('counts from when a delivery failed or was skipped, not from its first attempt', async () => {
    await using integration = await newIntegration(h)
    const { platform } = integration
    await fillDeliveries(h, platform.slug, [
      { status: 'failed', at: ago(5 * HOUR_MS) }, // its fifth attempt was 156 minutes later
      { status: 'failed', at: ago(6 * HOUR_MS) },
    ])
    const [skipped] = await fillDeliveries(h, platform.slug, [{ status: 'skipped', at: ago(5 * HOUR_MS) }])
    await sql(
      `with d as (update webhook_deliveries set attempts = 4 where id = $1 returning *)
       insert into webhook_attempts (delivery_id, number, started_at)
       select id, 4, created_at + interval '36 minutes' from d`, // the fifth was due 2 hours later
      [skipped.id],
    )
    expect((await recover(integration, ago(3 * HOUR_MS))).body).toEqual({ count: 2, more: false })
  })

  it('goes by the newest delivery of each event, and sends each once', async () => {
    await using integration = await newIntegration(h)
    const { platform, receiver } = integration
    const [mended, failing, twice] = await fillDeliveries(h, platform.slug, [
      { status: 'failed', at: ago(10 * HOUR_MS) },
      { status: 'delivered', at: ago(10 * HOUR_MS) },
      { status: 'failed', at: ago(10 * HOUR_MS) },
    ])
    await fillDeliveries(h, platform.slug, [
      { status: 'delivered', at: ago(5 * HOUR_MS), event_id: mended.event_id },
      { status: 'failed', at: ago(5 * HOUR_MS), event_id: failing.event_id },
      { status: 'skipped', at: ago(5 * HOUR_MS), event_id: twice.event_id },
    ])
    expect((await recover(integration, ago(24 * HOUR_MS))).body).toEqual({ count: 2, more: false })
    const sent = (await receiver.arrival(2)).map(({ event }) => event.id)
    expect(sent.sort()).toEqual([failing.event_id, twice.event_id].sort())
  })

  it('doubles nothing for a caller whose clock is behind', async () => {
    await using integration = await newIntegration(h)
    const { platform, receiver, ask } = integration
    await fillDeliveries(h, platform.slug, [{ status: 'skipped', at: ago(-60_000) }])
    const body = { since: ago(HOUR_MS) }
    expect((await ask('POST', '/deliveries/recover', { body, now: ago(60_000) })).body.count).toBe(1)
    await receiver.arrival(1)
    await settled(integration, 'delivered')
    expect((await ask('POST', '/deliveries/recover', { body, now: ago(60_000) })).body.count).toBe(0)
  })

  it('recovers what was skipped while the webhook was disabled, once it is enabled', async () => {
    await using integration = await newIntegration(h)
    const { operator, platform, receiver } = integration
    await disable(h, platform)
    const agent = await newAgent(operator, { platform_slug: platform.slug })
    expect(await deliveriesOf(h, platform)).toMatchObject([{ status: 'skipped' }])
    expectError(await recover(integration, ago(HOUR_MS)), 409, 'CONFLICT', /disabled/)
    await sql(`update platforms set webhook_status = 'enabled' where slug = $1`, [platform.slug])
    expect((await recover(integration, ago(HOUR_MS))).body).toEqual({ count: 1, more: false })
    const [webhook] = await receiver.arrival(1)
    expect(webhook?.event.data.reg).toBe(agent.reg)
  })

  it('looks back 14 days and no further, and takes a time or a day', async () => {
    await using integration = await newIntegration(h)
    const { ask } = integration
    const now = new Date('2026-11-15T12:00:00Z')
    const at = (since: unknown) => ask('POST', '/deliveries/recover', { body: { since }, now })
    for (const since of ['2026-11-01T12:00:05Z', '2026-11-01T13:00:05+01:00', '2026-11-02', '2027-01-01']) {
      expect((await at(since)).body, since).toEqual({ count: 0, more: false })
    }
    for (const since of ['2026-11-01T11:59:59.999Z', '2026-11-01', '0001-01-01', '2025-11-15T12:00:00Z']) {
      expectError(await at(since), 400, 'VALIDATION_ERROR', /^since: at most 14 days back/)
    }
    for (const since of ['yesterday', '2026-11-15 12:00', '', 7, null, undefined]) {
      expectError(await at(since), 400, 'VALIDATION_ERROR', /^since: must be a time or a day/)
    }
  })

  it('recovers nothing of another platform, and none without a URL', async () => {
    await using integration = await newIntegration(h)
    const { path, platform } = integration
    await fillDeliveries(h, platform.slug, [{ status: 'failed', at: ago(HOUR_MS) }])
    await using stranger = await newIntegration(h)
    const body = { since: ago(DAY_MS) }
    const { token } = stranger.operator
    expectError(
      await api('POST', `${path}/deliveries/recover`, { token, body }),
      404,
      'NOT_FOUND',
      /platform/,
    )
    expect((await recover(stranger, ago(DAY_MS))).body.count).toBe(0)
    await sql('update platforms set webhook_url = null where slug = $1', [platform.slug])
    expectError(await recover(integration, ago(HOUR_MS)), 409, 'CONFLICT', /webhook_url/)
    expect(await deliveriesOf(h, platform)).toHaveLength(1)
  })

  /** Keeps what a test has queued from being sent any more. */
  const abandon = (slug: string) =>
    sql(
      `update webhook_deliveries d set status = 'skipped' from platforms p
       where p.id = d.platform_id and p.slug = $1 and d.status = 'pending'`,
      [slug],
    )

  it('publishes the first 200 after the answer, and leaves the rest to the sweep', async () => {
    await using integration = await newIntegration(h)
    const { platform, ask } = integration
    const sent = Array.from({ length: 230 }, (_, n): Sent => ({ status: 'skipped', at: ago(HOUR_MS + n) }))
    await fillDeliveries(h, platform.slug, sent)
    const published = (count: number) =>
      eventually(
        async () => {
          const all = (await deliveriesOf(h, platform)).filter(({ status }) => status !== 'skipped')
          return all.filter((one) => one.publish_count > 0 || one.status === 'delivered').length
        },
        (found) => found === count,
      )
    try {
      const body = { since: ago(DAY_MS) }
      const answer = await ask('POST', '/deliveries/recover', { body, now: ago(-HOUR_MS) }) // no sweep finds it yet
      expect(answer.body).toEqual({ count: 230, more: false })
      expect(await published(200)).toBe(200)
      await sql(
        `update webhook_deliveries d set created_at = d.created_at - interval '2 hours'
         from platforms p where p.id = d.platform_id and p.slug = $1 and d.status = 'pending'`,
        [platform.slug],
      )
      await h.cron()
      expect(await published(230)).toBe(230)
    } finally {
      await abandon(platform.slug)
    }
  })

  it('takes 10,000 events a call, the oldest first, and says that more are left', async () => {
    await using integration = await newIntegration(h, { webhook_url: 'http://127.0.0.1:9/closed' })
    const { platform, ask } = integration
    const later = { body: { since: ago(DAY_MS) }, now: ago(-HOUR_MS) } // no sweep finds them yet
    const sent = Array.from({ length: 10_002 }, (_, n): Sent => ({ status: 'skipped', at: ago(HOUR_MS + n) }))
    const made = await fillDeliveries(h, platform.slug, sent)
    const newest = made.slice(0, 2).map(({ event_id }) => event_id)
    try {
      expect((await ask('POST', '/deliveries/recover', later)).body).toEqual({ count: 10_000, more: true })
      const first = (await deliveriesOf(h, platform)).filter(({ status }) => status === 'pending')
      expect(first.filter((one) => newest.includes(one.event_id))).toEqual([])
      expect((await ask('POST', '/deliveries/recover', later)).body).toEqual({ count: 2, more: false })
    } finally {
      await abandon(platform.slug)
    }
  })
})

describe('POST /platforms/{slug}/webhook-test', () => {
  it('sends the example of any type, signed and marked, whatever types the platform wants', async () => {
    await using integration = await newIntegration(h, { event_types: ['incident.resolved'] })
    const { platform, receiver, ask } = integration
    const { body: described } = await api('GET', '/event-types')
    for (const { type, example } of described.data) {
      const { status, body } = await ask('POST', '/webhook-test', { body: { type } })
      expect({ status, body }).toEqual({
        status: 202,
        body: {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          event_id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
          type,
          status: 'pending',
          attempts: 0,
          created_at: expect.stringMatching(/Z$/),
          next_attempt_at: body.created_at,
          delivered_at: null,
        },
      })
      const [webhook] = await receiver.arrival(1, type)
      if (!webhook) throw new Error('unreachable')
      expectSigned(webhook, platform.webhook_secret)
      const { event_id: id, created_at } = body
      expect(webhook.event).toEqual({ id, type, created_at, data: { ...example.data, test: true } })
    }
    expect(receiver.received).toHaveLength(9)
    expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(9)
    await settled(integration, 'delivered', 9)
  })

  it('is news to nobody else', async () => {
    await using integration = await newIntegration(h)
    const { operator, receiver, ask } = integration
    const other = await newPlatform(operator, { webhook_url: receiver.url })
    await newAgent(operator, { platform_slug: other.slug })
    const before = await deliveriesOf(h, other)
    await ask('POST', '/webhook-test', { body: { type: 'incident.created' } })
    await receiver.arrival(1, 'incident.created')
    expect((await deliveriesOf(h, other)).length).toBe(before.length)
    const { token } = operator
    expect((await api('GET', '/operators/me/notifications', { token })).body.data).toEqual([])
    expect((await api('GET', '/operators/me/dashboard', { token })).body).toMatchObject({ incident_count: 0 })
  })

  it('is a conflict while the webhook is disabled or has no URL, and unknown to others', async () => {
    await using integration = await newIntegration(h)
    const { path, platform, ask } = integration
    const body = { type: 'trust.updated' }
    const { token } = await newOperator()
    expectError(await api('POST', `${path}/webhook-test`, { token, body }), 404, 'NOT_FOUND', /platform/)
    await disable(h, platform)
    expectError(await ask('POST', '/webhook-test', { body }), 409, 'CONFLICT', /disabled/)
    await sql('update platforms set webhook_url = null where slug = $1', [platform.slug])
    expectError(await ask('POST', '/webhook-test', { body }), 409, 'CONFLICT', /webhook_url/)
    expectError(
      await ask('POST', '/webhook-test', { body: { type: 'x' } }),
      400,
      'VALIDATION_ERROR',
      /^type: /,
    )
    expect(await deliveriesOf(h, platform)).toEqual([])
  })
})
