import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shared } from '../support/harness.ts'
import { migrateInTurn } from '../support/migrate.ts'
import { settingsOf } from '../support/worker-settings.ts'

const h = shared()
const { DATABASE_URL: workerUrl = '' } = settingsOf(h.dir)

const { username: owner } = new URL(h.database_url)

const CHANGES = [
  `update activity_events set severity = 'info' where id = $1`,
  `update activity_events set created_at = created_at where id = $1`,
  'delete from activity_events where id = $1',
  `insert into activity_events select * from activity_events where id = $1
     on conflict on constraint activity_events_agent_id_seq_pk do update set severity = 'critical'`,
  `insert into activity_events (id, agent_id, seq, event_type, severity, metadata, reported_by, created_at)
     select gen_random_uuid(), agent_id, seq, event_type, severity, metadata, reported_by, created_at
     from activity_events where id = $1 on conflict (agent_id, seq) do update set metadata = excluded.metadata`,
  `merge into activity_events e using (select $1::uuid as id) s on e.id = s.id when matched then delete`,
  `merge into activity_events e using (select $1::uuid as id) s on e.id = s.id
     when matched then update set reported_by = 'platform'`,
  `with gone as (delete from activity_events where id = $1 returning *) select from gone`,
]
const TRUNCATIONS = [
  'truncate activity_events',
  'truncate activity_events cascade',
  'truncate only activity_events restart identity',
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

const rowOf = (id: string) => h.sql('select to_jsonb(e) as row from activity_events e where id = $1', [id])

/** Tries every way to change an event or truncate the log, and expects an error. */
async function tryAll(client: pg.Client, id: string, code = '42501'): Promise<void> {
  for (const change of CHANGES) {
    await expect(client.query(change, [id]), change).rejects.toMatchObject({ code })
  }
  for (const change of TRUNCATIONS) await expect(client.query(change), change).rejects.toMatchObject({ code })
}

async function expectRejected(url: string, settings: string[]): Promise<void> {
  const { reg, key } = await h.newReporter()
  const { id } = await h.report(key, reg, { severity: 'warning' })
  const before = await rowOf(id)
  await withClient(url, async (client) => {
    for (const setting of settings) await client.query(setting)
    await tryAll(client, id)
  })
  expect(await rowOf(id)).toEqual(before)
  expect(before).toHaveLength(1)
}

describe('an event in the log', () => {
  it('cannot be changed, deleted or truncated by the owner of the database', () =>
    expectRejected(h.database_url, []))

  it('cannot be changed by the owner in the role of a replica', () =>
    expectRejected(h.database_url, ['set session_replication_role = replica']))

  it('cannot be changed by the role of the Worker', () => expectRejected(workerUrl, []))

  it('is protected by a trigger that no session setting disables', async () => {
    const triggers = await h.sql(
      `select tgname, tgenabled, tgtype & 2 > 0 as before, tgtype & 8 > 0 as deletes, tgtype & 16 > 0 as updates,
         tgtype & 32 > 0 as truncates from pg_trigger where tgrelid = 'activity_events'::regclass`,
    )
    expect(triggers).toEqual([
      {
        tgname: 'activity_events_immutable',
        tgenabled: 'A',
        before: true,
        deletes: true,
        updates: true,
        truncates: true,
      },
    ])
  })
})

describe('a log owned by a role that is not a superuser', () => {
  const name = `log_${randomUUID().replaceAll('-', '')}`
  const url = new URL(h.database_url)
  url.pathname = `/${name}`
  const ownerUrl = new URL(url)
  Object.assign(ownerUrl, { username: name, password: 'secret' })
  const id = randomUUID()

  beforeAll(async () => {
    await h.sql(`create database ${name}`)
    await migrateInTurn(h, url.href)
    await withClient(url.href, async (client) => {
      await client.query(`create role ${name} login password 'secret'`)
      await client.query(`grant create, usage on schema public to ${name}`)
      await client.query(`grant set on parameter session_replication_role to ${name}`)
      await client.query(`alter table activity_events owner to ${name}`)
    })
  })
  afterAll(async () => {
    await h.sql(`drop database if exists ${name} with (force)`)
    await h.sql(`revoke set on parameter session_replication_role from ${name}`)
    await h.sql(`drop role if exists ${name}`)
  })

  it('can only be read and appended to by its owner, also in the role of a replica', () =>
    withClient(ownerUrl.href, async (client) => {
      await client.query(
        `insert into activity_events (id, agent_id, seq, event_type, severity, metadata, reported_by, created_at)
         values ($1, $1, 1, 'x', 'info', '{}', 'operator', '2026-03-03T12:00:00Z')`,
        [id],
      )
      for (const role of ['origin', 'replica', 'local']) {
        await client.query(`set session_replication_role = ${role}`)
        await tryAll(client, id)
      }
      const { rows } = await client.query('select event_type, severity, metadata from activity_events')
      expect(rows).toEqual([{ event_type: 'x', severity: 'info', metadata: {} }])
    }))
})

describe('the role of the Worker', () => {
  it.each([
    'alter table activity_events disable trigger all',
    'alter table activity_events disable trigger activity_events_immutable',
    'alter table activity_events enable replica trigger activity_events_immutable',
    'alter table activity_events owner to registry_worker',
    'alter table activity_events rename to old_events',
    'alter table activity_events set unlogged',
    'create rule quiet as on update to activity_events do instead nothing',
    'create trigger mine before insert on activity_events execute function refuse_change()',
    'create index mine on activity_events (id)',
    'alter function refuse_change() rename to allow_change',
    'create or replace function refuse_change() returns trigger language plpgsql as $$ begin return null; end $$',
    'drop function refuse_change() cascade',
    'do $$ begin lock table activity_events in access exclusive mode; end $$',
    'select from activity_events for update',
    'drop schema public cascade',
    'alter role registry_worker superuser',
    'alter role registry_worker set session_replication_role = replica',
    `set role ${owner}`,
    `set session authorization ${owner}`,
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
  ])('cannot execute: %s', async (statement) => {
    await expect(withClient(workerUrl, (client) => client.query(statement))).rejects.toMatchObject({
      code: '42501',
    })
  })

  it('has only the rights to read the log and append to it, and is no member of another role', async () => {
    const rights = await h.sql(
      `select p.privilege_type, p.is_grantable from pg_class c, aclexplode(c.relacl) p
       where c.oid = 'activity_events'::regclass and p.grantee in (0, 'registry_worker'::regrole) order by 1`,
    )
    expect(rights).toEqual([
      { privilege_type: 'INSERT', is_grantable: false },
      { privilege_type: 'SELECT', is_grantable: false },
    ])
    const [row] = await h.sql(
      `select rolsuper, rolcreaterole, rolbypassrls,
         exists (select from pg_auth_members where member = r.oid) as is_member
       from pg_roles r where rolname = 'registry_worker'`,
    )
    expect(row).toEqual({ rolsuper: false, rolcreaterole: false, rolbypassrls: false, is_member: false })
  })

  it('has short timeouts for statements and locks', async () => {
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
