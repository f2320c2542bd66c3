import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rejectionOf } from '../support/database.ts'
import { shared } from '../support/harness.ts'
import { type Log, newLog, takeTurn } from '../support/log/database.ts'
import { append } from '../support/log/traffic.ts'
import { withClient } from '../support/migrate.ts'
import { settingsOf } from '../support/worker-settings.ts'

const h = shared()
const NOW = new Date('2026-11-20T12:00:00Z')
const REJECTED = '42501'
const ROLES = ['origin', 'replica', 'local']
const { username: owner } = new URL(h.database_url)

/** The append-only tables of the log, each with an update that keeps the length of the row. */
const APPEND_ONLY: Record<string, string> = {
  tlog_state: 'size = size - 1',
  tlog_tiles: 'hashes = set_byte(hashes, 0, 255 - get_byte(hashes, 0))',
  tlog_bundles: 'entries = set_byte(entries, 2, 255 - get_byte(entries, 2))',
  tlog_batches: 'seed = sha256(seed)',
  tlog_ranges: 'first_index = first_index + 1',
  tlog_facts: `facts = facts || ' '`,
  tlog_heads: 'root = sha256(root)',
}

/** Ways to change or remove events. */
const CHANGES = [
  `update activity_events set severity = 'error'`,
  'update activity_events set created_at = created_at',
  'delete from activity_events',
  `insert into activity_events select * from activity_events
     on conflict on constraint activity_events_agent_id_seq_pk do update set severity = 'critical'`,
  `insert into activity_events (id, agent_id, seq, event_type, severity, metadata, reported_by, created_at)
     select gen_random_uuid(), agent_id, seq, event_type, severity, metadata, reported_by, created_at
     from activity_events on conflict (agent_id, seq) do update set metadata = excluded.metadata`,
  'merge into activity_events e using activity_events s on e.id = s.id when matched then delete',
  `merge into activity_events e using activity_events s on e.id = s.id
     when matched then update set reported_by = 'platform'`,
  'with gone as (delete from activity_events returning *) select from gone',
  'truncate activity_events',
  'truncate activity_events cascade',
  'truncate only activity_events restart identity',
]

let log: Log
let worker: string
beforeAll(async () => {
  log = await newLog(h, 2)
  await takeTurn(log.pool, 100, NOW)
  for (const { reg } of log.agents) await append(log.pool, [reg, reg], NOW)
  await takeTurn(log.pool, 100, NOW)
  await log.rows(
    `insert into tlog_heads (day, size, root, note, signed_at) select '2026-11-20', size, sha256(''), '', $1 from tlog_state`,
    [NOW],
  )
  const url = new URL(settingsOf(h.dir).DATABASE_URL ?? '')
  worker = Object.assign(url, { pathname: new URL(log.url).pathname }).href
})
afterAll(() => log[Symbol.asyncDispose]())

async function tables(): Promise<string[]> {
  const found = await log.rows(
    `select relname from pg_class where relname like 'tlog\\_%' and relkind = 'r' order by relname`,
  )
  return found.map(({ relname }) => relname)
}

/** Expects that each statement is rejected, after others of the same transaction that are not. */
async function expectRejected(url: string, statements: readonly string[], before: string[] = []) {
  expect([before, await rejectionOf(url, ...before)]).toEqual([before, null])
  for (const statement of statements) {
    const found = await rejectionOf(url, ...before, statement)
    expect([before, statement, found]).toEqual([before, statement, REJECTED])
  }
}

const inRole = (role: string) => `set local session_replication_role = ${role}`

describe('events', () => {
  it.each(ROLES)(
    'cannot be changed, deleted or truncated by an owner of the database in the role %s',
    async (role) => {
      await expectRejected(log.url, CHANGES, [inRole(role)])
      const plain = [
        'create role keeper',
        'grant create, usage on schema public to keeper',
        'grant set on parameter session_replication_role to keeper',
        'alter table activity_events owner to keeper',
        'set local role keeper',
      ]
      await expectRejected(log.url, CHANGES, [...plain, inRole(role), 'select from activity_events'])
    },
  )

  it('cannot be changed by the Worker, which has only the rights to read and append them', async () => {
    await expectRejected(worker, CHANGES)
    const rights = await log.rows(
      `select p.privilege_type, p.is_grantable from pg_class c, aclexplode(c.relacl) p
       where c.oid = 'activity_events'::regclass and p.grantee in (0, 'registry_worker'::regrole) order by 1`,
    )
    expect(rights).toEqual([
      { privilege_type: 'INSERT', is_grantable: false },
      { privilege_type: 'SELECT', is_grantable: false },
    ])
  })
})

describe('the tables of the log', () => {
  it('are the append-only tables and two queues', async () => {
    expect((await tables()).filter((table) => !APPEND_ONLY[table])).toEqual(['tlog_days', 'tlog_outbox'])
    for (const table of Object.keys(APPEND_ONLY)) {
      const [{ rows }] = await log.rows(`select count(*)::integer as rows from ${table}`)
      expect([table, rows]).toEqual([table, expect.toSatisfy((count: number) => count > 0)])
    }
  })

  it('reject changes even by the owner', async () => {
    const statements = Object.entries(APPEND_ONLY).flatMap(([table, change]) => [
      `update ${table} set ${change}`,
      `delete from ${table}`,
      `truncate ${table}`,
    ])
    for (const role of ROLES) await expectRejected(log.url, statements, [inRole(role)])
  })

  it('accept only heads from the Worker, and give it no seeds or facts', async () => {
    for (const table of await tables()) {
      const [{ attname }] = await log.rows(
        'select attname from pg_attribute where attrelid = $1::regclass and attnum = 1',
        [table],
      )
      const statements = [
        `insert into ${table} select * from ${table} limit 0`,
        `update ${table} set ${attname} = ${attname}`,
        `delete from ${table}`,
        `truncate ${table}`,
      ]
      await expectRejected(worker, statements.slice(table === 'tlog_heads' ? 2 : 0))
    }
    await expectRejected(worker, [
      'select seed from tlog_batches',
      'select facts from tlog_facts',
      `select tlog_put(0, array['x'::bytea], sha256(''), now())`,
      `select tlog_declare('{"origin": "other", "keys": []}')`,
    ])
  })

  it('reject calls and inserts by another role, even one that can read all tables', async () => {
    const before = [
      'create role analyst',
      'grant select on all tables in schema public to analyst',
      'set local role analyst',
    ]
    const calls = [
      `select tlog_append_events(1, sha256(''), now(), null)`,
      `select tlog_append_facts(1, sha256(''), now(), null, '{"origin": "x", "leaf": "x", "keys": []}')`,
      `select tlog_pause('fork')`,
      `select tlog_differing('{0}')`,
      `select tlog_entries('${log.agents[0]?.reg}', (select operator_id from agents limit 1), null, '{}', 0, -1, 9, 9, 9, 9)`,
      `select tlog_origins()`,
      `select tlog_announced('key')`,
      `insert into tlog_heads select '2026-11-21', size, sha256(''), '', '', now() from tlog_state`,
    ]
    await expectRejected(log.url, calls, before)
  })
})

describe('the role of the Worker', () => {
  it('can neither change what protects the log, nor take other rights', async () => {
    await expectRejected(worker, [
      'alter table activity_events disable trigger all',
      'alter table activity_events enable replica trigger activity_events_immutable',
      'alter table activity_events owner to registry_worker',
      'alter table activity_events rename to old_events',
      'alter table activity_events add column x integer',
      'create rule quiet as on update to activity_events do instead nothing',
      'create trigger mine before insert on activity_events execute function refuse_change()',
      'create index mine on activity_events (id)',
      'drop trigger activity_events_immutable on activity_events',
      'drop table activity_events',
      'alter function refuse_change() rename to allow_change',
      'create or replace function refuse_change() returns trigger language plpgsql as $$ begin return null; end $$',
      'drop function refuse_change() cascade',
      'do $$ begin lock table activity_events in access exclusive mode; end $$',
      'select from activity_events for update',
      'drop schema public cascade',
      'alter role registry_worker superuser',
      'alter role registry_worker set session_replication_role = replica',
      'set session_replication_role = replica',
      `set role ${owner}`,
      `set session authorization ${owner}`,
      'create table mine (id integer)',
      'create role friend',
      `copy activity_events to program 'true'`,
      'delete from operators',
      'delete from audit_log',
      `update webhook_events set type = 'x'`,
    ])
    const [role] = await log.rows(
      `select rolsuper, rolcreaterole, rolbypassrls,
         exists (select from pg_auth_members where member = r.oid) as is_member
       from pg_roles r where rolname = 'registry_worker'`,
    )
    expect(role).toEqual({ rolsuper: false, rolcreaterole: false, rolbypassrls: false, is_member: false })
  })

  it('has short timeouts for statements and locks', async () => {
    const settings = `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
      current_setting('timezone') as zone`
    const { rows } = await withClient(worker, (client) => client.query(settings))
    expect(rows).toEqual([{ statement: '5s', lock: '3s', zone: 'UTC' }])
  })
})
