import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { shared } from '../support/harness.ts'

const h = shared()

const MANY = 2_500 // more than two pages of the job

it('deletes all expired rows of every table in one run, and nothing else', async () => {
  const operator = await h.newOperator()
  const platform = await h.newPlatform(operator, { webhook_url: 'http://127.0.0.1:9/hook' })
  const mark = randomUUID().replaceAll('-', '')
  const fill = (rows: string, ...params: unknown[]) => h.sql(rows, [mark, MANY, ...params])
  await fill(
    `insert into idempotency_keys (scope, body_sha256, answer, created_at)
     select $1 || n, 'x', '{}', now() - interval '49 hours' + case when n = 1 then interval '2 hours' else '0' end
     from generate_series(1, $2::integer) n`,
  )
  await fill(
    `with events as (
       insert into webhook_events (id, type, created_at, data)
       select 'evt_' || $1 || n, 'agent.updated', now() - interval '31 days' + case when n = 1 then interval '2 days' else '0' end, '{}'
       from generate_series(1, $2::integer) n returning id, created_at
     ), deliveries as (
       insert into webhook_deliveries (id, event_id, platform_id, type, status, attempts, created_at)
       select gen_random_uuid(), e.id, p.id, 'agent.updated', 'failed', 2, e.created_at from events e, platforms p where p.slug = $3
       returning id, created_at
     )
     insert into webhook_attempts (delivery_id, number, started_at)
     select d.id, a, d.created_at from deliveries d, generate_series(1, 2) a`,
    platform.slug,
  )
  // An expired event without deliveries; and an older one with a recent delivery, which is kept.
  await h.sql(
    `with events as (
       insert into webhook_events (id, type, created_at, data)
       select 'evt_' || $1 || name, 'agent.updated', now() - age * interval '1 day', '{}'
       from (values ('lone', 30.5), ('sent again', 40)) e (name, age) returning id
     )
     insert into webhook_deliveries (id, event_id, platform_id, type, status, attempts, created_at)
     select gen_random_uuid(), e.id, p.id, 'agent.updated', 'failed', 2, now() - interval '1 day'
     from events e, platforms p where p.slug = $2 and e.id like '%again'`,
    [mark, platform.slug],
  )
  await h.cron(new Date())
  const [left] = await h.sql(
    `select (select count(*) from idempotency_keys where scope like $1 || '%')::integer as keys,
       (select array_agg(id order by id) from webhook_events where id like 'evt_' || $1 || '%') as events,
       (select count(*) from webhook_deliveries where event_id like 'evt_' || $1 || '%')::integer as deliveries`,
    [mark],
  )
  expect(left).toEqual({ keys: 1, events: [`evt_${mark}1`, `evt_${mark}sent again`], deliveries: 2 })
})
