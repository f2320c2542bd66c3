import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as full from '@neondatabase/serverless'
import { beforeAll, expect, it } from 'vitest'
import { httpDriver } from '../../scripts/assets/driver.ts'

const PACKAGE = join(import.meta.dirname, '../../node_modules/@neondatabase/serverless/index.mjs')
const URL = 'postgresql://user:secret@example.com/db'
const DATE = 1082

/** Values in the text format of Postgres, by type OID. */
const CELLS: Record<number, string | null> = {
  16: 't',
  17: '\\x00ff',
  20: '9007199254740993',
  23: '-7',
  25: null,
  701: 'NaN',
  1007: '{1,NULL,3}',
  1009: '{a,"b,c",NULL}',
  1082: '2026-02-03',
  1184: '2026-02-03 04:05:06.789+00',
  1186: '1 day 02:03:04',
  1700: '1.50',
  3802: '{"a":[1,null]}',
}

type Driver = Pick<typeof full, 'neon' | 'neonConfig' | 'types'>

let source: string
let reduced: Driver

beforeAll(async () => {
  source = httpDriver(readFileSync(PACKAGE, 'utf8'))
  reduced = await import(`data:text/javascript;base64,${Buffer.from(source).toString('base64')}`)
})

/** The requests of a driver to the endpoint, and its result. */
async function traceOf(
  { neon, neonConfig }: Driver,
  work: (sql: ReturnType<typeof neon>) => Promise<unknown>,
) {
  const requested: unknown[] = []
  const response = {
    fields: Object.keys(CELLS).map((type) => ({ name: `of_${type}`, dataTypeID: Number(type) })),
    rows: [Object.values(CELLS)],
    command: 'SELECT',
    rowCount: 1,
  }
  neonConfig.fetchFunction = async (url: string, init: RequestInit) => {
    requested.push({ url, ...init })
    const { query, queries } = JSON.parse(String(init.body))
    if (query === 'fail') return Response.json({ message: 'no', code: '42601', detail: 'd' }, { status: 400 })
    if (query === 'break') return new Response('gone', { status: 502 })
    return Response.json(queries ? { results: [response, response] } : response)
  }
  try {
    const given = await work(neon(URL, { fullResults: true })).catch((error) => ({
      ...error,
      text: `${error}`,
    }))
    return { requested, given: JSON.parse(JSON.stringify(given)) }
  } finally {
    neonConfig.fetchFunction = undefined
  }
}

it.each<[string, (sql: ReturnType<typeof full.neon>) => Promise<unknown>]>([
  ['reads every type', (sql) => sql.query('select', [])],
  ['reads rows as arrays', (sql) => sql.query('select', [], { arrayMode: true })],
  [
    'sends every kind of parameter',
    (sql) =>
      sql.query('q', [
        null,
        1,
        true,
        'é',
        [1, null, 'a"b'],
        { a: [1] },
        new Date(0),
        new Uint8Array([0, 255]),
      ]),
  ],
  ['sends a template', (sql) => sql`select ${1} from ${sql.unsafe('t')}`],
  ['sends a transaction', (sql) => sql.transaction([sql`select 1`, sql`select ${2}`], { readOnly: true })],
  ['throws an error of the database', (sql) => sql.query('fail')],
  ['throws an error of the endpoint', (sql) => sql.query('break')],
])('%s as the full driver does', async (_, work) => {
  const expected = await traceOf(full, work)
  expect(expected.requested).toHaveLength(1)
  expect(await traceOf(reduced, work)).toEqual(expected)
})

it('uses the type parsers that drizzle sets', async () => {
  reduced.types.setTypeParser(DATE, (text) => `of ${text}`)
  const { given } = await traceOf(reduced, (sql) => sql.query('select'))
  expect(given.rows[0][`of_${DATE}`]).toBe('of 2026-02-03')
})

it('does not contain the WebSocket client', () => {
  expect(/SCRAM|class \w+ extends \w+\.(Client|Pool)/.test(source)).toBe(false)
  expect(Object.keys(reduced).sort()).toEqual(['neon', 'neonConfig', 'types'])
})

it('takes Buffer from the runtime, and does not read its process', () => {
  expect(source).toContain('p=globalThis.Buffer,')
  expect(source).not.toMatch(/globalThis\.process|allocUnsafe=function/)
})

const START = `function start() {
  p=typeof globalThis.Buffer=="function"&&typeof globalThis.Buffer.allocUnsafe=="function"?globalThis.Buffer:a().Buffer
  y=globalThis.process??{}
}
`

it.each([
  ['another start', 'export {}', /no single .*process/],
  ['a statement of another kind', `${START}for (;;) break`, /unknown kind of statement/],
  [
    'no type parsers',
    `${START}var neon = 1, neonConfig = 2; export { neon, neonConfig }`,
    /type parsers elsewhere/,
  ],
  ['no export neon', `${START}export {}`, /no export neon/],
])('rejects a file with %s', (_, text, problem) => {
  expect(() => httpDriver(text)).toThrow(problem)
})
