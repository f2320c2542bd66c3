import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { shared } from '../harness.ts'

const h = shared()
const { DATABASE_URL: workerUrl = '' } = parseEnv(await readFile(join(h.dir, 'worker.env'), 'utf8'))

const CHANGES = [
  `update activity_events set severity = 'info' where id = $1`,
  `update activity_events set created_at = created_at where id = $1`,
  'delete from activity_events where id = $1',
  `insert into activity_events select * from activity_events where id = $1
     on conflict (id) do update set severity = 'critical'`,
  `merge into activity_events e using (select $1::uuid as id) s on e.id = s.id when matched then delete`,
]

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function expectRefused(url: string, settings: string[], code: RegExp): Promise<void> {
  const { reg, key } = await h.newReporter()
  const { id } = await h.report(key, reg, { severity: 'warning' })
  const [before] = await h.sql('select to_jsonb(e) as row from activity_events e where id = $1', [id])
  await withClient(url, async (client) => {
    for (const setting of settings) await client.query(setting)
    for (const change of CHANGES) {
      await expect(client.query(change, [id]), change).rejects.toMatchObject({
        code: expect.stringMatching(code),
      })
    }
    for (const change of ['truncate activity_events', 'truncate activity_events cascade']) {
      await expect(client.query(change), change).rejects.toMatchObject({ code: expect.stringMatching(code) })
    }
  })
  const [after] = await h.sql('select to_jsonb(e) as row from activity_events e where id = $1', [id])
  expect(after).toEqual(before)
}

describe('an event in the log', () => {
  it('cannot be changed, deleted or truncated by the owner of the database', () =>
    expectRefused(h.database_url, [], /42501/))

  it('cannot be changed by the owner who plays a replica', () =>
    expectRefused(h.database_url, ['set session_replication_role = replica'], /42501/))

  it('cannot be changed by the role of the Worker', () => expectRefused(workerUrl, [], /42501/))
})

describe('the role of the Worker', () => {
  it.each([
    'alter table activity_events disable trigger all',
    'drop trigger activity_events_immutable on activity_events',
    'drop table activity_events',
    'alter table activity_events add column x integer',
    'set session_replication_role = replica',
    'create table mine (id integer)',
    'delete from operators',
    'delete from audit_log',
    "update webhook_events set type = 'x'",
    'create role friend',
    "copy activity_events to program 'true'",
  ])('may not: %s', async (statement) => {
    await expect(withClient(workerUrl, (client) => client.query(statement))).rejects.toMatchObject({
      code: '42501',
    })
  })

  it('waits neither long for a lock nor long for a statement', async () => {
    const [row] = await withClient(workerUrl, async (client) => {
      const { rows } = await client.query(
        `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
           current_setting('timezone') as zone`,
      )
      return rows
    })
    expect(row).toEqual({ statement: '5s', lock: '3s', zone: 'UTC' })
  })
})
