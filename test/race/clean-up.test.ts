import { randomUUID } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { shared } from '../support/harness.ts'
import { holdOpen } from '../support/hold-open.ts'
import { SOON } from '../support/patience.ts'

const h = shared()
const { cron, newOperator, newPlatform, sql } = h

/** Stores old rows and holds some of them, again if jobs of another test have deleted them in between. */
const storeAndHold = (store: () => Promise<unknown>, text: string, values: unknown[]) =>
  vi.waitFor(async () => {
    await store()
    return holdOpen(h, text, values)
  }, SOON)

it('keeps a stored response that is renewed while the clean-up waits for its row', async () => {
  const { id } = await newOperator()
  const now = new Date()
  const old = new Date(now.getTime() - 49 * 3_600_000).toISOString()
  const store = () =>
    sql(
      `insert into idempotency_keys (scope, body_sha256, answer, created_at)
       select $1 || n, 'x', '{}', $2 from generate_series(1, 2) n on conflict do nothing`,
      [`${id}-`, old],
    )
  const held = await storeAndHold(store, 'update idempotency_keys set created_at = $2 where scope = $1', [
    `${id}-1`,
    now.toISOString(),
  ])
  const running = cron(now)
  await held.isWaitedFor()
  await held.commit()
  await running
  const left = await sql('select scope from idempotency_keys where scope like $1', [`${id}-%`])
  expect(left).toEqual([{ scope: `${id}-1` }])
})

it('goes on after a page that a concurrent run has deleted', async () => {
  const { slug } = await newPlatform(await newOperator())
  const mark = `evt_${randomUUID()}`
  const store = () =>
    sql(
      `with events as (
       insert into webhook_events (id, type, created_at, data)
       select $1 || n, 'agent.updated', now() - interval '400 days' + n * interval '1 second', '{}'
       from generate_series(1, 1100) n on conflict do nothing returning id, created_at
     )
     insert into webhook_deliveries (id, event_id, platform_id, type, status, attempts, created_at)
     select gen_random_uuid(), e.id, p.id, 'agent.updated', 'failed', 5, e.created_at from events e, platforms p where p.slug = $2`,
      [mark, slug],
    )
  const held = await storeAndHold(
    store,
    `with old as (select $1 || n as id from generate_series(1, 1000) n),
       deliveries as (delete from webhook_deliveries where event_id in (select id from old))
     delete from webhook_events where id in (select id from old)`,
    [mark],
  )
  const running = cron()
  await held.isWaitedFor()
  await held.commit()
  await running
  const left = await sql(
    `select count(e.id)::integer as events, count(d.id)::integer as deliveries
     from webhook_events e left join webhook_deliveries d on d.event_id = e.id where e.id like $1 || '%'`,
    [mark],
  )
  expect(left).toEqual([{ events: 0, deliveries: 0 }])
})
