import { createHash, randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { applyMigrations, type Migration } from '../../scripts/migrate/run.ts'
import { shared } from '../support/harness.ts'

const h = shared()
const name = `migrations_${randomUUID().replaceAll('-', '')}`
const url = new URL(h.database_url)
url.pathname = `/${name}`
const client = new pg.Client({ connectionString: url.href })
const other = new pg.Client({ connectionString: url.href })
const printed: string[] = []

beforeAll(async () => {
  await h.sql(`create database ${name}`)
  await Promise.all([client.connect(), other.connect()])
})
afterAll(async () => {
  await Promise.all([client.end(), other.end()])
  await h.sql(`drop database if exists ${name} with (force)`)
})
beforeEach(async () => {
  await client.query('drop schema if exists drizzle cascade; drop table if exists things')
  await client.query('create table things (id integer primary key, word text, page integer)')
  await client.query(`insert into things select n, 'word ' || n from generate_series(1, 2500) n`)
  printed.length = 0
})

function migration(title: string, ...sql: string[]): Migration {
  const hash = createHash('sha256').update(sql.join(';')).digest('hex')
  return { name: title, hash, folderMillis: 1, sql }
}
const apply = (...migrations: Migration[]) =>
  applyMigrations(client, migrations, (line) => printed.push(line))
const applied = async () =>
  (await client.query('select hash from drizzle.__drizzle_migrations order by id')).rows.map(
    ({ hash }) => hash,
  )

it('waits for a lock in short attempts that block no others, and says so', async () => {
  await other.query('begin; select 1 from things limit 1') // holds a lock that conflicts with ALTER TABLE
  const one = migration('0001_x', 'ALTER TABLE things ADD COLUMN more text')
  const running = apply(one)
  await expect
    .poll(() => printed)
    .toContainEqual(expect.stringMatching(/^0001_x 1\/1 ALTER TABLE .*: waiting for a lock/))
  expect(
    await h.sql(
      `select from pg_locks l join pg_database d on d.oid = l.database where d.datname = $1 and not granted`,
      [name],
    ),
  ).toEqual([])
  await other.query('commit')
  await running
  expect(printed.at(-1)).toMatch(/^0001_x 1\/1 \d+\.\d\d s ALTER TABLE things ADD COLUMN more text$/)
  expect(await applied()).toEqual([one.hash])
})

it('rebuilds an index that an interrupted build has left invalid', async () => {
  await client.query('insert into things values (2501, $1)', ['word 1'])
  const unique = migration('0001_x', 'CREATE UNIQUE INDEX CONCURRENTLY "things_word" ON things (word)')
  await expect(apply(unique)).rejects.toThrow(
    /^0001_x 1\/1, CREATE UNIQUE INDEX .*could not create unique index/,
  )
  const validity = async () =>
    (await client.query(`select indisvalid from pg_index where indexrelid = 'things_word'::regclass`)).rows
  expect(await validity()).toEqual([{ indisvalid: false }])
  await client.query('delete from things where id = 2501')
  await apply(unique)
  expect(await validity()).toEqual([{ indisvalid: true }])
  expect(printed.at(-1)).toMatch(/s rebuilt: CREATE UNIQUE INDEX/)
})

it('continues after a failure, page by page, and repeats nothing', async () => {
  const pages = migration(
    '0001_x',
    'CREATE SEQUENCE IF NOT EXISTS things_pages; ALTER SEQUENCE things_pages RESTART',
    `-- in pages
     WITH page AS (SELECT nextval('things_pages') AS n)
     UPDATE things SET page = 10 / (3 - page.n) * 0 + page.n FROM page
     WHERE id IN (SELECT id FROM things WHERE page IS NULL ORDER BY id LIMIT 1000)`,
    'CREATE INDEX CONCURRENTLY things_page ON things (page)',
  )
  await expect(apply(pages)).rejects.toThrow(/^0001_x 2\/3, WITH page .*division by zero/)
  const counts = async () =>
    (await client.query('select page, count(*)::integer from things group by 1 order by 1')).rows.map(
      Object.values,
    )
  expect(await counts()).toEqual([
    [1, 1000],
    [2, 1000],
    [null, 500],
  ])
  expect(await applied()).toEqual([])
  await apply(pages)
  expect(await counts()).toEqual([
    [1, 1000],
    [2, 1000],
    [4, 500],
  ])
  expect(printed.filter((line) => line.includes('SEQUENCE'))).toHaveLength(1)
  expect(printed.at(-2)).toMatch(/s 1 pages, 500 rows: WITH page/)
  expect(await applied()).toEqual([pages.hash])
  await apply(pages)
  expect(await applied()).toEqual([pages.hash])
})

it('rejects a database with other migrations than the folder, also if one was interrupted', async () => {
  const broken = migration('0001_x', 'SELECT 1', 'SELECT 1 / 0')
  await expect(apply(broken)).rejects.toThrow(/0001_x 2\/2/)
  await expect(apply(migration('0001_x', 'SELECT 1'))).rejects.toThrow(/another version of the migrations/)
})
