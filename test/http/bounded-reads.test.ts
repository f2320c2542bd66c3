import { describe, expect, it } from 'vitest'
import { activityQuery } from '../../src/activity/list-query.ts'
import { selectActivity, toActivity } from '../../src/activity/list-store.ts'
import { listIncidents } from '../../src/incidents/store.ts'
import { sendDigests } from '../../src/notifications/digest-store.ts'
import { listNotifications, markAll } from '../../src/notifications/store.ts'
import type { DeliveryQuery } from '../../src/webhooks/manage/schema.ts'
import { requireDeliveries } from '../../src/webhooks/manage/store.ts'
import { findUnpublished } from '../../src/webhooks/outbox/sweep-store.ts'
import { shared } from '../support/harness.ts'
import { plansDatabase, uuidOf } from '../support/plans/database.ts'
import { idSql } from '../support/population.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const OPERATOR = uuidOf('0', 1)
const REG = 'REG-2026-0001-0001-0'
const DEPTH = 10_000
const EVENTS = DEPTH + 50

const before = (interval: string) => `'${NOW.toISOString()}'::timestamptz - interval '${interval}'`

/** Inserts pending deliveries of one platform, numbered from `from`; the type of one in a thousand is rare. */
const pending = (
  from: number,
  count: number,
  columns: Record<'due' | 'created' | 'published' | 'leased', string>,
) => `
  insert into webhook_deliveries (id, event_id, platform_id, type, status, attempts, publish_count, next_attempt_at, created_at, published_at, lease_until)
    select ${idSql('6')}, 'evt', '${uuidOf('1', 1)}', case when n % 1000 = 0 then 'agent.registered' else 'agent.updated' end, 'pending', case when ${columns.leased} is null then 0 else 1 end,
      case when ${columns.published} is null then 0 else 1 end, ${columns.due}, ${columns.created}, ${columns.published}, ${columns.leased}
    from generate_series(${from}, ${from + count - 1}) n;`

// One agent has 50,000 incidents and one platform 50,000 deliveries, which the queries must not read.
const FILL = `
  insert into operators (id, issuer, subject, email, name, agent_limit, active_agents, notification_prefs, digest_week, created_at, updated_at)
    select ${idSql('0')}, 'i', 's' || n, 'a@example.com', 'Operator', 10, 2, '{"weekly_digest": true}', '2020-01-06', now(), now() from generate_series(1, 500) n;
  insert into platforms (id, operator_id, slug, name, webhook_url, webhook_secret, created_at)
    select ${idSql('1')}, '${OPERATOR}', 'platform-' || n, 'P', 'https://a.example', 'x', now() from generate_series(1, 300) n;
  insert into agents (id, reg, operator_id, name, description, class, specializations, registered_at)
    select ${idSql('a')}, 'REG-2026-0001-' || lpad(n::text, 4, '0') || '-0', ${idSql('0', '1 + n / 3')}, 'Agent', '', 'A', '{}', '2025-01-01'
    from generate_series(1, 1400) n;
  insert into agent_stats (agent_id, incident_count, open_incident_count) select id, 1, 1 from agents;
  update agent_stats set incident_count = 50030, open_incident_count = 3, events = ${EVENTS} where agent_id = '${uuidOf('a', 1)}';
  insert into activity_events (id, agent_id, seq, event_type, severity, metadata, reported_by, created_at)
    select ${idSql('7')}, '${uuidOf('a', 1)}', n, 'heartbeat', 'info', '{}', 'operator', '2026-01-01' from generate_series(1, ${EVENTS}) n;
  insert into incidents (id, agent_id, event_id, reported_by, source, title, description, severity, created_at, status, resolved_at)
    select ${idSql('4')}, case when n <= 50000 then '${uuidOf('a', 1)}' else ${idSql('a', '3 + n % 1300')} end, ${idSql('5')}, 'operator', 'self', 't', 'd', 'info',
      '2026-01-01'::timestamptz + n * interval '5 minutes', case when n <= 3 then 'open' else 'resolved' end,
      case when n > 3 then '2026-01-01'::timestamptz + n * interval '5 minutes' end from generate_series(1, 60000) n;
  insert into incidents (id, agent_id, event_id, reported_by, source, title, description, severity, created_at, status, resolved_at)
    select ${idSql('8')}, '${uuidOf('a', 1)}', ${idSql('5')}, 'operator', 'self', 't', 'd', 'info', '2026-11-11', 'resolved', '2026-11-12' from generate_series(1, 30) n;
  insert into incidents (id, agent_id, event_id, reported_by, source, title, description, severity, created_at)
    select ${idSql('9')}, '${uuidOf('a', 2)}', ${idSql('5')}, 'operator', 'self', 't', 'd', 'info', '2026-11-11' from generate_series(1, 15000) n;
  insert into notifications (id, operator_id, type, title, body, created_at)
    select ${idSql('3')}, case when n <= 30000 then '${OPERATOR}' else ${idSql('0', '2 + n % 400')} end, 'incident_alert', 't', 'b',
      ${before('1 day')} - n * interval '1 second'
    from generate_series(1, 40000) n;
  insert into webhook_events (id, type, created_at, data) values ('evt', 'agent.updated', now(), '{}');
  ${pending(1, 50_000, { due: before('-2 hours'), created: before('1 day'), published: before('1 hour'), leased: 'null::timestamptz' })}
  ${pending(60_001, 20_000, { due: before('15 minutes'), created: before('1 day'), published: before('19 minutes'), leased: 'null::timestamptz' })}
  ${pending(90_001, 3, { due: before('50 minutes'), created: before('1 day'), published: before('21 minutes'), leased: 'null::timestamptz' })}
  ${pending(90_011, 2, { due: before('40 seconds'), created: before('40 seconds'), published: 'null::timestamptz', leased: 'null::timestamptz' })}
  ${pending(90_021, 1, { due: before('2 minutes'), created: before('1 day'), published: 'null::timestamptz', leased: before('31 seconds') })}
  ${pending(90_031, 1, { due: before('1 minute'), created: before('1 day'), published: 'null::timestamptz', leased: before('30 seconds') })}
  ${pending(90_041, 1, { due: before('20 seconds'), created: before('20 seconds'), published: 'null::timestamptz', leased: 'null::timestamptz' })}
  ${pending(90_051, 1, { due: before('-1 hour'), created: before('1 day'), published: 'null::timestamptz', leased: 'null::timestamptz' })}
`

const { db, plansOf, rowsRead } = plansDatabase(shared(), FILL)

const page = { page: 1, per_page: 20 }
const pastDepth = { page: DEPTH / 20 + 1, per_page: 20 }

describe('incidents', () => {
  it('are listed up to 10,000, and a page beyond that reads none', async () => {
    const list = (query: typeof page) => listIncidents(db, REG, query)
    expect(await list(pastDepth)).toMatchObject({ total: DEPTH, data: [] })
    expect(await rowsRead('incidents', () => list(pastDepth))).toBe(0)
    expect((await list({ page: DEPTH / 20, per_page: 20 }))?.data).toHaveLength(20)
    expect((await list({ page: 334, per_page: 30 }))?.data).toHaveLength(10)
    expect((await list({ page: 1_000_000_000, per_page: 50 }))?.data).toEqual([])
  })

  it('of a rare status are listed without reading the others', async () => {
    const list = () => listIncidents(db, REG, { ...page, status: 'open' })
    expect(await list()).toMatchObject({ total: 3, data: [{ status: 'open' }, {}, {}] })
    expect(await rowsRead('incidents', list)).toBe(3)
  })
})

it('the events of an agent are all counted and listed, with a filter up to 10,000', async () => {
  const reader = { operator_id: OPERATOR, platform_id: null, tier: 'free' } as const
  const read = async (query: object) => {
    const found = toActivity(await selectActivity(db, REG, reader, activityQuery.parse(query)))
    return [found?.total, found?.data.length]
  }
  for (const [filter, total, beyond] of [
    [{}, EVENTS, 20],
    [{ to: '2100-01-01T00:00:00Z' }, DEPTH, 0],
    [{ type: 'heartbeat' }, DEPTH, 0],
  ] as const) {
    expect(await read({ ...filter, page: `${DEPTH / 20}` })).toEqual([total, 20])
    expect(await read({ ...filter, page: `${DEPTH / 20 + 1}` })).toEqual([total, beyond])
  }
})

describe('the weekly digest', () => {
  const send = () => sendDigests(db, NOW, [OPERATOR])

  it('reads only the incidents of its week, and of each agent at most as many as it counts', async () => {
    expect(await rowsRead('incidents', send)).toBeLessThanOrEqual(30 + 30 + DEPTH + 1)
  })

  it('says that there were more incidents than it counts', async () => {
    expect(await send()).toEqual({ marked: 1, sent: 1 })
    const { data } = await listNotifications(db, OPERATOR, page)
    const digest = data.find(({ type }) => type === 'weekly_digest')
    expect(digest?.body).toContain(`Incidents opened: ${DEPTH + 30}+, resolved: 30.`)
  })
})

it('finds the overdue deliveries without reading those that QStash holds', async () => {
  const find = () => findUnpublished(db, NOW)
  const expected = [90_001, 90_002, 90_003, 90_021, 90_011, 90_012, 90_051].map((n) => uuidOf('6', n))
  const found = await find()
  expect(found.map(({ delivery_id }) => delivery_id)).toEqual(expected)
  expect(found[3]).toMatchObject({ attempt: 1, publish_count: 0 })
  expect(found[0]).toMatchObject({ attempt: 1, publish_count: 1 })
  expect(await rowsRead('webhook_deliveries', find)).toBeLessThan(50)
})

it('lists up to 10,000 deliveries, and those of a rare type without reading the others', async () => {
  const platform = { slug: 'platform-1', operator_id: OPERATOR, tier: 'free' } as const
  const listOf = (query: DeliveryQuery) => requireDeliveries(db, platform, query)
  for (const filter of [{}, { status: 'pending' }, { type: 'agent.updated' }] as const) {
    const last = await listOf({ ...page, page: DEPTH / 20, ...filter })
    expect(last).toMatchObject({ total: DEPTH, data: { length: 20 } })
    expect((await listOf({ page: 1_000_000_000, per_page: 50, ...filter })).data).toEqual([])
  }
  const list = () => listOf({ ...page, type: 'agent.registered' })
  expect(await list()).toMatchObject({ total: 70, data: { length: 20 } })
  expect(await rowsRead('webhook_deliveries', list)).toBeLessThan(70 + 50)
  expect([...(await plansOf(list)).indexes]).toContain('webhook_deliveries_type')
})

describe('notifications', () => {
  it('are counted and listed up to 10,000', async () => {
    const { data, ...counts } = await listNotifications(db, OPERATOR, page)
    expect(counts).toEqual({ total: DEPTH, unread_count: DEPTH })
    expect(data).toHaveLength(20)
    expect((await listNotifications(db, OPERATOR, pastDepth)).data).toEqual([])
    const most = 2 * DEPTH + 50
    expect(await rowsRead('notifications', () => listNotifications(db, OPERATOR, page))).toBeLessThan(most)
    expect(await rowsRead('notifications', () => listNotifications(db, OPERATOR, pastDepth))).toBe(2 * DEPTH)
  })

  it('are marked as read 20,000 at a time', async () => {
    const counts = [await markAll(db, OPERATOR, NOW), await markAll(db, OPERATOR, NOW)]
    expect(counts[0]).toBe(20_000)
    expect(counts[1]).toBeGreaterThanOrEqual(10_000)
    expect(await markAll(db, OPERATOR, NOW)).toBe(0)
    expect(await listNotifications(db, OPERATOR, page)).toMatchObject({ unread_count: 0 })
  })
})
