import { describe, expect, it } from 'vitest'
import { applySources, readSources, type Source } from '../../scripts/migrate/sources.ts'
import { migrateDatabase } from '../../scripts/migrate.ts'
import { ownDatabase } from '../support/database.ts'
import { shared } from '../support/harness.ts'
import { migrateInTurn, withClient } from '../support/migrate.ts'

const h = shared()
const { url, client } = ownDatabase(h, 'sources')
const sources = readSources()
const functions = sources.filter(({ name }) => name.startsWith('functions/'))
const OF_COLUMN = 'agent_search' // in prerequisites.sql

/** Functions, triggers, privileges, and settings of a database, without those of extensions. */
async function contents(of = client) {
  const { rows } = await of.query<{ kind: string; name: string; definition: string }>(`
    with own as (select oid, 'functions/' || proname as name, proacl::text as privileges from pg_proc f
      where pronamespace = 'public'::regnamespace
        and not exists (select from pg_depend d where d.objid = f.oid and d.deptype = 'e'))
    select name, pg_get_functiondef(oid) || coalesce(privileges, '') as definition from own
    union all select tgrelid::regclass || '.' || tgname, pg_get_triggerdef(oid) || tgenabled::text from pg_trigger where not tgisinternal
    union all select oid::regclass::text, coalesce(relacl::text, '') || coalesce(reloptions::text, '')
      from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')
    union all select attrelid::regclass || '.' || attname, attstorage::text || coalesce(attstattarget::text, '')
      from pg_attribute join pg_class c on c.oid = attrelid
      where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
    union all select rolname, rolconfig::text from pg_roles where rolname = 'registry_worker'
    order by 1`)
  return Object.fromEntries(rows.map(({ name, definition }) => [name, definition]))
}

describe('the sources of the database', () => {
  it('have one file per function, which begins with its contract', async () => {
    const found = Object.keys(await contents()).filter((name) => name.startsWith('functions/'))
    expect(found).toEqual([...functions.map(({ name }) => name), `functions/${OF_COLUMN}`].sort())
    for (const { name, text } of sources)
      expect([name, text]).toEqual([name, expect.stringMatching(/^-- .+\n/)])
  })

  it('can be applied again without changing anything, and are what the stack has', async () => {
    const before = await contents()
    expect(Object.keys(before).length).toBeGreaterThan(300)
    await client.query('delete from drizzle.sources')
    await migrateInTurn(h, url)
    expect(await contents()).toEqual(before)
    expect(await withClient(h.database_url, contents)).toEqual(before)
  })

  it('let only the Worker execute functions with the rights of the owner, and nobody those of triggers', async () => {
    const { rows } = await client.query<{ everyone: boolean; worker: boolean; is_trigger: boolean }>(
      `select has_function_privilege('public', f.oid, 'execute') as everyone,
         has_function_privilege('registry_worker', f.oid, 'execute') as worker,
         prorettype = 'trigger'::regtype as is_trigger
       from pg_proc f where pronamespace = 'public'::regnamespace and prosecdef`,
    )
    expect(rows.filter(({ everyone }) => everyone)).toEqual([])
    expect(rows.every(({ worker, is_trigger }) => worker !== is_trigger)).toBe(true)
    expect(rows.filter(({ worker }) => worker).length).toBeGreaterThan(0)
  })

  it('are replaced if changed, can call each other if new, and are dropped if their file is gone', async () => {
    const sql = (name: string, body: string): Source => ({
      name: `functions/${name}`,
      text: `-- Test.\nCREATE OR REPLACE FUNCTION ${name}() RETURNS integer LANGUAGE sql AS $$ SELECT ${body} $$;`,
    })
    const before = await contents()
    const value = async () => (await client.query('select a_first() as value')).rows[0].value
    await applySources(client, [...sources, sql('a_first', 'b_second() + 1'), sql('b_second', '1')])
    expect(await value()).toBe(2)
    await applySources(client, [...sources, sql('a_first', 'b_second() + 1'), sql('b_second', '5')])
    expect(await value()).toBe(6)
    await applySources(client, sources)
    expect(await contents()).toEqual(before)
  })

  it('cannot be replaced with another signature, and the error names the file, as for a syntax error', async () => {
    const before = await contents()
    const message = /^drizzle\/functions\/wire_time\.sql: .* an incompatible change needs a new name$/
    for (const [head, body] of [
      ['wire_time(p_moment timestamptz) RETURNS integer', 'SELECT 1'],
      ['wire_time(p_at timestamptz) RETURNS text', "SELECT 'x'"],
      ['wire_time(p_moment timestamptz, p_digits integer) RETURNS text', "SELECT 'x'"],
    ]) {
      const text = `CREATE OR REPLACE FUNCTION ${head} LANGUAGE sql AS $$ ${body} $$`
      const changed = sources.map((one) => (one.name === 'functions/wire_time' ? { ...one, text } : one))
      await expect(applySources(client, changed)).rejects.toThrow(message)
    }
    const broken = [...sources, { name: 'functions/broken', text: 'CREATE FUNCTION broken(' }]
    await expect(applySources(client, broken)).rejects.toThrow('drizzle/functions/broken.sql: syntax error')
    expect(await contents()).toEqual(before)
  })

  it('are complete after several parallel migrations', async () => {
    const before = await contents()
    await client.query(`drop function wire_time(timestamptz);
      delete from drizzle.sources where name = 'functions/wire_time'`)
    await Promise.all([1, 2, 3, 4].map(() => migrateDatabase(url)))
    expect(await contents()).toEqual(before)
  })
})

it('a migration gives up when it waits for a lock, changes nothing, and can be repeated', async () => {
  await client.query('begin; lock agents in access exclusive mode')
  await withClient(url, async (other) => {
    await other.query(`update drizzle.sources set sha256 = 'old' where name = 'triggers'`)
    await expect(migrateDatabase(url)).rejects.toThrow(/migrated: drizzle\/triggers\.sql: .*lock timeout/)
    await client.query('commit')
    await migrateInTurn(h, url)
    const { rows } = await other.query(`select from drizzle.sources where sha256 = 'old'`)
    expect(rows).toEqual([])
  })
})
