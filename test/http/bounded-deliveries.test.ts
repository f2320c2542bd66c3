import { afterAll, beforeAll, expect, it } from 'vitest'
import { deleteExpired } from '../../src/jobs/store.ts'
import { listDeliveries } from '../../src/webhooks/manage/store.ts'
import { shared } from '../support/harness.ts'
import { plansDatabase, uuidOf } from '../support/plans/database.ts'
import { idSql } from '../support/population.ts'

const { db, fill, drop, plansOf, rowsRead } = plansDatabase(shared())

const PLATFORM = { slug: 'platform-7', operator_id: uuidOf('0', 1), tier: 'free' } as const

// 60,000 deliveries: one platform has half of them, and every hundredth has failed.
const FILL = `
  insert into operators (id, issuer, subject, email, name, agent_limit, notification_prefs, digest_week, created_at, updated_at)
    values ('${uuidOf('0', 1)}', 'i', 's', 'a@example.com', 'Operator', 1, '{}', '2026-11-16', now(), now());
  insert into platforms (id, operator_id, slug, name, webhook_url, webhook_secret, created_at)
    select ${idSql('1')}, '${uuidOf('0', 1)}', 'platform-' || n, 'P', 'https://a.example', 'x', now() from generate_series(1, 2000) n;
  insert into webhook_events (id, type, created_at, data)
    select 'evt_' || n, case when n % 1000 = 0 then 'agent.registered' else 'trust.updated' end,
      '2026-11-21'::timestamptz - n * interval '30 seconds', '{}' from generate_series(1, 60000) n;
  insert into webhook_deliveries (id, event_id, platform_id, type, status, attempts, next_attempt_at, created_at)
    select ${idSql('6')}, 'evt_' || n, case when n % 2 = 0 then '${uuidOf('1', 7)}' else ${idSql('1', '8 + n % 1900')} end,
      case when n % 1000 = 0 then 'agent.registered' else 'trust.updated' end,
      case when n % 100 = 0 then 'failed' when n % 333 = 0 then 'pending' else 'delivered' end, 1, null,
      '2026-11-21'::timestamptz - n * interval '30 seconds' from generate_series(1, 60000) n;
  insert into webhook_attempts (delivery_id, number, started_at)
    select id, 1, created_at from webhook_deliveries;
`

beforeAll(() => fill(FILL))
afterAll(drop)

const page = { page: 1, per_page: 20 }
it('a list filtered by a rare type reads no deliveries of other types', async () => {
  const list = () => listDeliveries(db, PLATFORM, { ...page, type: 'agent.registered' })
  const total = (await list())?.total ?? 0
  expect(total).toBeGreaterThanOrEqual(60)
  expect(await rowsRead('webhook_deliveries', list)).toBeLessThan(total + 50)
  const { whole, indexes } = await plansOf(list)
  expect([...whole]).toEqual([])
  expect([...indexes]).toContain('webhook_deliveries_type')
})

it('the cleanup of a backlog deletes one page and reads little more than that page', async () => {
  const clean = () => deleteExpired(db, new Date('2027-01-01T12:00:00Z'))
  expect(await rowsRead('webhook_deliveries', clean)).toBeLessThan(2 * 1_000 + 50)
  expect(await rowsRead('webhook_events', clean)).toBeLessThan(2 * 1_000 + 50)
  expect(await rowsRead('webhook_attempts', clean)).toBe(1_000)
})
