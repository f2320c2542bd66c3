import { NeonDbError, neon, neonConfig } from '@neondatabase/serverless'
import { eq, sql as template } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/neon-http'
import { bigint, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Postgres, startPostgres } from '../../local/postgres/index.ts'
import { startNeon } from '../../local/stand-ins/neon/index.ts'
import { recordedCalls, type Served } from '../../local/stand-ins/serve.ts'
import { withClient } from '../support/migrate.ts'
import { testFolder } from '../support/test-folder.ts'

const PATIENCE_MS = 30_000

const dir = testFolder()
let postgres: Postgres
let endpoint: Served
let sql: ReturnType<typeof neon<false, false>>

beforeAll(async () => {
  vi.stubEnv('DATABASE_URL', undefined)
  postgres = await startPostgres({ dir })
  endpoint = await startNeon()
  neonConfig.fetchEndpoint = endpoint.url
  sql = neon(postgres.url)
  await sql`CREATE TABLE people (id int8 PRIMARY KEY, name text UNIQUE, seen timestamptz(3), extra jsonb)`
})

afterAll(async () => {
  await endpoint.stop()
  await postgres.stop()
  vi.unstubAllEnvs()
})

const people = pgTable('people', {
  id: bigint({ mode: 'number' }).primaryKey(),
  name: text(),
  seen: timestamp({ withTimezone: true, precision: 3 }),
  extra: jsonb(),
})

async function failureOf(promise: Promise<unknown>): Promise<NeonDbError> {
  const error = await promise.then(
    () => null,
    (thrown) => thrown,
  )
  expect(error).toBeInstanceOf(NeonDbError)
  return error
}

/** A response of the endpoint: results with 200, otherwise a message. */
interface NeonResponse {
  status: number
  body: { rows?: unknown[][]; message?: string }
}

async function post(body: object, connection = postgres.url): Promise<NeonResponse> {
  const response = await fetch(endpoint.url, {
    method: 'POST',
    headers: { 'Neon-Connection-String': connection },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as NeonResponse['body'] }
}

/** The number of other sessions that are in a statement or transaction. */
const busySessions = (): Promise<number> =>
  withClient(postgres.url, async (client) => {
    const { rows } = await client.query(
      `SELECT count(*)::int AS busy FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`,
    )
    return rows[0].busy
  })

test.for([
  ['int8', '9007199254740993'],
  ['int4', 42],
  ['numeric', '12345678901234567890.10'],
  ['bool', false],
  ['text', 'é 😀 "quoted" \\ {}'],
  ['text', null],
  ['jsonb', { a: [1, null, 'x'] }],
  ['int4[]', [1, null, 3]],
  ['text[]', ['a,b', 'q"\\', 'NULL', '']],
  ['bytea', Buffer.from([0, 1, 254, 255])],
] as const)('%s is sent and returned unchanged: %j', async ([type, value]) => {
  const [row] = await sql.query(`SELECT $1::${type} AS value`, [value])
  expect(row?.value).toEqual(value)
})

test('a timestamptz is returned in UTC', async () => {
  const at = '2026-03-29T01:30:00.123Z'
  const reply = await post({ query: 'SELECT $1::timestamptz', params: [at] })
  expect(reply.body.rows).toEqual([['2026-03-29 01:30:00.123+00']])
})

test('a unique violation reaches the client with message and code', async () => {
  await sql`INSERT INTO people (id, name) VALUES (100, 'Ada')`
  expect(await failureOf(sql`INSERT INTO people (id, name) VALUES (101, 'Ada')`)).toMatchObject({
    message: 'duplicate key value violates unique constraint "people_name_key"',
    code: '23505',
  })
  expect(await failureOf(sql`SELECT 1; SELECT 2`)).toMatchObject({ code: '42601' })
})

test('a drizzle batch is one request and one transaction, and an error rolls it back', async () => {
  const db = drizzle(sql)
  const before = recordedCalls().length
  const [, found] = await db.batch([
    db.insert(people).values({ id: 300, name: 'Alan' }),
    db
      .select({ name: people.name, xid: template<string>`xmin = pg_current_xact_id()::xid` })
      .from(people)
      .where(eq(people.id, 300)),
  ])
  expect(found).toEqual([{ name: 'Alan', xid: true }])
  expect(recordedCalls().length).toBe(before + 1)

  const failing = db.batch([
    db.insert(people).values({ id: 301, name: 'Edsger' }),
    db.insert(people).values({ id: 300, name: 'Again' }),
    db.insert(people).values({ id: 302, name: 'Barbara' }),
  ])
  await expect(failing).rejects.toMatchObject({ code: '23505', constraint: 'people_pkey' })
  expect(await sql`SELECT id FROM people WHERE id > 300 AND id < 400`).toEqual([])
  expect(await busySessions()).toBe(0)
})

test.for([
  ['statement', () => sql`SELECT pg_sleep(300)`],
  ['batch', () => sql.transaction([sql`INSERT INTO people (id) VALUES (400)`, sql`SELECT pg_sleep(300)`])],
] as const)('an aborted %s is canceled in the database too, and rolled back', async ([, run]) => {
  const abort = new AbortController()
  neonConfig.fetchFunction = (url: string, init: RequestInit) => fetch(url, { ...init, signal: abort.signal })
  const failing = failureOf(run())
  neonConfig.fetchFunction = undefined
  await vi.waitFor(async () => expect(await busySessions()).toBe(1), PATIENCE_MS)
  abort.abort()
  await failing
  await vi.waitFor(async () => expect(await busySessions()).toBe(0), PATIENCE_MS)
  expect(await sql`SELECT id FROM people WHERE id = 400`).toEqual([])
})

test('a session that ends during its statement causes an error, and the next statement works', async () => {
  expect(await failureOf(sql`SELECT pg_terminate_backend(pg_backend_pid())`)).toMatchObject({ code: '57P01' })
  expect(await sql`SELECT 1 AS one`).toEqual([{ one: 1 }])
})

test('an unreachable database causes a 500 with a message', async () => {
  const reply = await post({ query: 'SELECT 1' }, 'postgres://a:b@127.0.0.1:1/c')
  expect(reply.status).toBe(500)
  expect(reply.body.message).toMatch(/ECONNREFUSED/)
})
