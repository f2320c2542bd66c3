import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rejectionOf } from '../support/database.ts'
import { shared } from '../support/harness.ts'
import { type Log, newLog, takeTurn } from '../support/log/database.ts'
import { append } from '../support/log/traffic.ts'
import { settingsOf } from '../support/worker-settings.ts'

const h = shared()
const NOW = new Date('2026-11-20T12:00:00Z')
const REJECTED = '42501'

/** The append-only tables, each with an update that keeps the length of the row. */
const APPEND_ONLY: Record<string, string> = {
  tlog_state: 'size = size - 1',
  tlog_tiles: 'hashes = set_byte(hashes, 0, 255 - get_byte(hashes, 0))',
  tlog_bundles: 'entries = set_byte(entries, 2, 255 - get_byte(entries, 2))',
  tlog_batches: 'seed = sha256(seed)',
  tlog_ranges: 'first_index = first_index + 1',
  tlog_facts: `facts = facts || ' '`,
  tlog_heads: 'root = sha256(root)',
}

let log: Log
let worker: pg.Client
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
  worker = new pg.Client({
    connectionString: Object.assign(url, { pathname: new URL(log.url).pathname }).href,
  })
  await worker.connect()
})
afterAll(async () => {
  await worker.end()
  await log[Symbol.asyncDispose]()
})

async function tables(): Promise<string[]> {
  const found = await log.rows(
    `select relname from pg_class where relname like 'tlog\\_%' and relkind = 'r' order by relname`,
  )
  return found.map(({ relname }) => relname)
}

describe('the tables of the log', () => {
  it('are the append-only tables and two queues', async () => {
    expect((await tables()).filter((table) => !APPEND_ONLY[table])).toEqual(['tlog_days', 'tlog_outbox'])
    for (const table of Object.keys(APPEND_ONLY)) {
      const [{ rows }] = await log.rows(`select count(*)::integer as rows from ${table}`)
      expect([table, rows]).toEqual([table, expect.toSatisfy((count: number) => count > 0)])
    }
  })

  it('accept only heads from the Worker', async () => {
    for (const table of await tables()) {
      const column = (
        await log.rows(`select attname from pg_attribute where attrelid = $1::regclass and attnum = 1`, [
          table,
        ])
      )[0].attname
      const statements = [
        `insert into ${table} select * from ${table} limit 0`,
        `update ${table} set ${column} = ${column}`,
        `delete from ${table}`,
        `truncate ${table}`,
      ]
      for (const statement of statements.slice(table === 'tlog_heads' ? 2 : 0))
        expect([statement, await rejectionOf(worker, statement)]).toEqual([statement, REJECTED])
    }
  })

  it.each(Object.keys(APPEND_ONLY))('reject changes of %s even by the owner', async (table) => {
    const statements = [
      `update ${table} set ${APPEND_ONLY[table]}`,
      `delete from ${table}`,
      `truncate ${table}`,
    ]
    const client = await log.pool.connect()
    try {
      for (const role of ['origin', 'replica', 'local']) {
        for (const statement of statements) {
          const rejection = await rejectionOf(
            client,
            `set local session_replication_role = ${role}`,
            statement,
          )
          expect([role, statement, rejection]).toEqual([role, statement, REJECTED])
        }
      }
    } finally {
      client.release()
    }
  })

  it('give the Worker no seeds or facts, and accept no leaves from it', async () => {
    for (const call of [
      `select seed from tlog_batches`,
      `select facts from tlog_facts`,
      `select tlog_put(0, array['x'::bytea], sha256(''), now())`,
      `select tlog_declare('{"origin": "other", "keys": []}')`,
    ])
      expect([call, await rejectionOf(worker, call)]).toEqual([call, REJECTED])
  })

  it('reject calls and inserts by another role, even one that can read all tables', async () => {
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
    const client = await log.pool.connect()
    try {
      for (const call of calls) {
        const rejection = await rejectionOf(
          client,
          'create role analyst',
          'grant select on all tables in schema public to analyst',
          'set local role analyst',
          call,
        )
        expect([call, rejection]).toEqual([call, REJECTED])
      }
    } finally {
      client.release()
    }
  })
})
