import { randomUUID } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import { administer } from '../../scripts/admin.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { ownDatabase } from '../support/database.ts'
import { shared } from '../support/harness.ts'
import { withClient } from '../support/migrate.ts'

// A separate database: a lock that delays an erasure would delay the reports of all other tests.
const h = shared()
const { name, url, client } = ownDatabase(h, 'erasure')
let id: string

beforeEach(async () => {
  id = uuidv7(new Date()) // the command reads the time in it
  const values = [id, randomUUID()]
  await client.query(
    `insert into operators (id, issuer, subject, email, name, agent_limit, notification_prefs, digest_week, created_at,
       updated_at) values ('${values[1]}', 'x', '${values[1]}', 'a@example.com', 'A', 3, '{}', '2026-01-05', now(), now())`,
  )
  await client.query(
    `insert into agents (id, reg, operator_id, name, description, class, specializations, registered_at)
     values ('${values[1]}', '${values[1]}', '${values[1]}', 'A', '', 'A', '{}', now())`,
  )
  await client.query(`insert into agent_stats (agent_id, events) values ('${values[1]}', 1)`)
  await client.query(
    `insert into activity_events (id, agent_id, seq, event_type, severity, metadata, reported_by, created_at)
     values ($1, $2, 1, 'x', 'info', '{"a": "secret"}', 'operator', now())`,
    values,
  )
  await administer(() => url, ['redact', id, '--reason', 'law'])
})

/** The state of the event and of the trigger that protects it; fails if the trigger does not work. */
async function readState() {
  const { rows } = await client.query(
    `select e.metadata, r.erased_at is not null as erased,
       (select tgenabled from pg_trigger where tgrelid = 'activity_events'::regclass) as guard
     from activity_events e join redactions r on r.event_id = e.id where e.id = $1`,
    [id],
  )
  await expect(client.query(`update activity_events set severity = 'error'`)).rejects.toMatchObject({
    code: '42501',
  })
  return rows[0]
}

const UNTOUCHED = { metadata: { a: 'secret' }, erased: false, guard: 'A' }
const ERASED = { metadata: {}, erased: true, guard: 'A' }

/** Holds a lock in another connection during some work. */
const withLock = (lock: string, work: () => Promise<void>) =>
  withClient(url, async (other) => {
    await other.query('begin')
    await other.query(lock)
    await work()
  })

it('an erasure fails without effect if the log is locked, and can be repeated', async () => {
  await withLock('lock table activity_events in row exclusive mode', async () => {
    await expect(administer(() => url, ['erase', id])).rejects.toThrow(/^the log is busy/)
  })
  expect(await readState()).toEqual(UNTOUCHED)
  expect(await administer(() => url, ['erase', id])).toMatch(/ is erased/)
  expect(await readState()).toEqual(ERASED)
})

it('an erasure that is killed while the trigger is disabled leaves it enabled, and the event unchanged', async () => {
  await withLock(`select from activity_events where id = '${id}' for update`, async () => {
    const erasing = administer(() => url, ['erase', id])
    const killed = expect(erasing).rejects.toThrow()
    const waiting = `select pid from pg_stat_activity where datname = '${name}' and wait_event_type = 'Lock'
      and query like 'update activity_events%'`
    let pids: { pid: number }[] = []
    while (pids.length === 0) pids = (await client.query(waiting)).rows
    await client.query('select pg_terminate_backend($1)', [pids[0]?.pid])
    await killed
  })
  expect(await readState()).toEqual(UNTOUCHED)
})

it('an update during an erasure waits, and is then rejected', async () => {
  await withLock(`select from activity_events where id = '${id}' for update`, async () => {
    const erasing = administer(() => url, ['erase', id]).catch(() => null)
    const change = client.query(`update activity_events set severity = 'error' where id = $1`, [id])
    await expect(change).rejects.toMatchObject({ code: '42501' })
    await erasing
  })
})
