import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applyFunctions, readFunctions } from '../../scripts/migrate/functions.ts'
import { migrateDatabase } from '../../scripts/migrate.ts'
import { shared } from '../support/harness.ts'
import { migrateInTurn } from '../support/migrate.ts'

/** Functions that trigger functions call: they are in the migrations, like these. */
const OF_TRIGGERS = ['agent_facts', 'incident_facts', 'public_link']

const h = shared()
const name = `functions_${randomUUID().replaceAll('-', '')}`
const url = new URL(h.database_url)
url.pathname = `/${name}`
const client = new pg.Client({ connectionString: url.href })

beforeAll(async () => {
  await h.sql(`create database ${name}`)
  await migrateInTurn(h, url.href)
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await h.sql(`drop database if exists ${name} with (force)`)
})

/** The functions of a database by name, without those of extensions, column defaults and triggers. */
async function definitions(of = client): Promise<Record<string, string>> {
  const { rows } = await of.query<{ name: string; definition: string }>(
    `select f.proname as name, pg_get_functiondef(f.oid) as definition from pg_proc f
     where f.pronamespace = 'public'::regnamespace
       and not exists (select from pg_depend d where d.objid = f.oid and d.deptype = 'e')
       and not exists (select from pg_depend d where d.refobjid = f.oid
         and d.classid in ('pg_attrdef'::regclass, 'pg_trigger'::regclass))
       and f.proname <> all ($1)
     order by f.proname`,
    [OF_TRIGGERS],
  )
  return Object.fromEntries(rows.map(({ name, definition }) => [name, definition]))
}

describe('the SQL functions', () => {
  it('have one file each, equal to the definition in the database', async () => {
    const files = readFunctions()
    const before = await definitions()
    expect(Object.keys(before)).toEqual(files.map(({ name }) => name))
    await client.query('begin')
    for (const { text } of files) await client.query(text)
    expect(await definitions()).toEqual(before)
    await client.query('rollback')
    for (const { name, text } of files)
      expect([name, text]).toEqual([name, expect.stringMatching(/^-- .+\n/)])
  })

  it('are the same in the database of the stack', async () => {
    const stack = new pg.Client({ connectionString: h.database_url })
    await stack.connect()
    try {
      expect(await definitions(stack)).toEqual(await definitions())
    } finally {
      await stack.end()
    }
  })

  it('are in the migrations if a column default or trigger needs them', async () => {
    const { rows } = await client.query(
      `select distinct f.proname from pg_proc f join pg_depend d on d.refobjid = f.oid
       where f.pronamespace = 'public'::regnamespace and d.classid in ('pg_attrdef'::regclass, 'pg_trigger'::regclass)
       order by 1`,
    )
    expect(rows.map(({ proname }) => proname)).toEqual([
      'agent_search',
      'print_evidence',
      'refuse_change',
      'tlog_agent_changed',
      'tlog_event_redacted',
      'tlog_head_fits',
      'tlog_incident_changed',
      'tlog_only_grows',
      'tlog_score_written',
    ])
  })

  it('can be executed only by the Worker if they run with the rights of the owner', async () => {
    const { rows } = await client.query<{ name: string; everyone: boolean; worker: boolean }>(
      `select f.proname as name, has_function_privilege('public', f.oid, 'execute') as everyone,
         has_function_privilege('registry_worker', f.oid, 'execute') as worker
       from pg_proc f where f.pronamespace = 'public'::regnamespace and f.prosecdef`,
    )
    const called = new Set(readFunctions().map(({ name }) => name))
    expect(rows.filter(({ everyone }) => everyone)).toEqual([])
    expect(rows.filter(({ worker }) => worker).map(({ name }) => name)).toEqual(
      rows.flatMap(({ name }) => (called.has(name) ? [name] : [])),
    )
    expect(rows.filter(({ worker }) => worker).length).toBeGreaterThan(0)
  })

  it('are replaced if changed, can call each other if new, and are dropped if their file is gone', async () => {
    const files = readFunctions()
    const sql = (name: string, body: string) => ({
      name,
      text: `-- Test.\nCREATE OR REPLACE FUNCTION ${name}() RETURNS integer LANGUAGE sql AS $$ SELECT ${body} $$;`,
    })
    const value = async () => (await client.query('select a_first() as value')).rows[0].value
    await applyFunctions(client, [...files, sql('a_first', 'b_second() + 1'), sql('b_second', '1')])
    expect(await value()).toBe(2)
    await applyFunctions(client, [...files, sql('a_first', 'b_second() + 1'), sql('b_second', '5')])
    expect(await value()).toBe(6)
    await applyFunctions(client, files)
    expect(Object.keys(await definitions())).toEqual(files.map(({ name }) => name))
  })

  it.each([
    ['another return type', 'wire_time(p_moment timestamptz) RETURNS integer', 'SELECT 1'],
    ['another parameter name', 'wire_time(p_at timestamptz) RETURNS text', "SELECT 'x'"],
    [
      'an additional parameter',
      'wire_time(p_moment timestamptz, p_digits integer) RETURNS text',
      "SELECT 'x'",
    ],
  ])('cannot be replaced with %s, and the error names the file', async (_, head, body) => {
    const before = await definitions()
    const files = readFunctions().map((file) =>
      file.name === 'wire_time'
        ? { ...file, text: `CREATE OR REPLACE FUNCTION ${head} LANGUAGE sql AS $$ ${body} $$` }
        : file,
    )
    await expect(applyFunctions(client, files)).rejects.toThrow(
      /^drizzle\/functions\/wire_time\.sql: .* an incompatible change needs a new name$/,
    )
    expect(await definitions()).toEqual(before)
  })

  it('are named if they have a syntax error', async () => {
    const files = [...readFunctions(), { name: 'broken', text: 'CREATE FUNCTION broken(' }]
    await expect(applyFunctions(client, files)).rejects.toThrow('drizzle/functions/broken.sql: syntax error')
  })

  it('are complete after several parallel migrations', async () => {
    await client.query('drop function wire_time(timestamptz); delete from drizzle.sql_functions')
    await Promise.all([1, 2, 3, 4].map(() => migrateDatabase(url.href)))
    expect(Object.keys(await definitions())).toEqual(readFunctions().map(({ name }) => name))
  })
})
