import { expect } from 'vitest'
import { base62, withCheck, withWrongEnd } from './credentials.ts'
import type { ApiDocument, Route } from './document.ts'
import { type ApiResponse, type Body, type Call, expectError, type Harness } from './harness.ts'

const MINUTE_SECONDS = 60
const LIMITS = [10, 30, 60, 120, 600] // every policy's requests per minute
const BODY_MAX_BYTES = 64 * 1024
const BATCH_MAX_BYTES = 1024 * 1024
const WHOLE = ['agents', 'incidents', 'notifications'] // no job changes them
const KEY_MAY_BE_ANYBODYS = ['GET /verify/{reg}/full']

/** Expects the headers of every response below /api/v1. */
export function expectHeaders({ headers }: ApiResponse): void {
  const limit = Number(headers.get('x-ratelimit-limit'))
  const remaining = headers.get('x-ratelimit-remaining')
  const reset = Number(headers.get('x-ratelimit-reset'))
  const now = Math.floor(Date.now() / 1000)
  expect(LIMITS).toContain(limit)
  expect(remaining).toMatch(/^\d+$/)
  expect(Number(remaining)).toBeLessThan(limit)
  expect(reset).toBeGreaterThanOrEqual(now - 1)
  expect(reset).toBeLessThanOrEqual(now + MINUTE_SECONDS + 1)
  expect(headers.get('x-request-id')).toMatch(/^[\w-]{8,}$/)
}

/**
 * Tokens that no caller holds, by what is wrong with them.
 *
 * @param keys CREDENTIALS_KEY of the stack, for tokens with a wrong secret but a valid checksum
 */
export function forgedTokens(session: string, key: string, keys: readonly string[]): Record<string, string> {
  return {
    'no token of ours': 'hello',
    'a session token cut short': session.slice(0, -1),
    'a session token with a character more': `${session}a`,
    'a session token whose check is wrong': withWrongEnd(session),
    'a session token nobody was given': withCheck(`reg_sess_${base62(51)}`, keys),
    'a session with a wrong secret': withCheck(session.slice(0, 17) + base62(43), keys),
    'a key whose check is wrong': withWrongEnd(key),
    'a key nobody was given': withCheck(`reg_live_${base62(40)}`, keys),
    'a key with a wrong secret': withCheck(key.slice(0, 17) + base62(32), keys),
    'a token of 8 kilobytes': 'a'.repeat(8_000),
  }
}

/** Authorization headers without a valid Bearer token, and those of other schemes, which public reads ignore. */
export const BAD_BEARER = ['Bearer', 'Bearer ', 'Bearer a b', 'Bearer a, Bearer b']
export const OTHER_SCHEMES = ['Basic YTpi', 'reg_sess_x', 'Token token=x']

interface BadCall {
  title: string
  call: Call
  status: number
  code: string
  message: RegExp
}

/** Bodies that every route with a body rejects before it looks at a field. */
export function unreadableBodies(route: Route): BadCall[] {
  const maxBytes = route.path.endsWith('/batch') ? BATCH_MAX_BYTES : BODY_MAX_BYTES
  const large = JSON.stringify({ name: 'x'.repeat(maxBytes) })
  const json = { 'Content-Type': 'application/json' }
  const bad = (title: string, body: string): BadCall => ({
    title,
    call: { body, headers: json },
    status: 400,
    code: 'VALIDATION_ERROR',
    message: /./,
  })
  const typed = (type: string): BadCall => ({
    title: `Content-Type ${type}`,
    call: { body: '{}', headers: { 'Content-Type': type } },
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: /Content-Type/,
  })
  const tooLarge = { status: 413, code: 'PAYLOAD_TOO_LARGE', message: new RegExp(String(maxBytes)) }
  return [
    bad('an empty body', ''),
    bad('half an object', '{"name":'),
    bad('a trailing comma', '{"name":"a",}'),
    bad('single quotes', "{'name':'a'}"),
    bad('NaN', '{"name":NaN}'),
    bad('thirty thousand brackets', '['.repeat(30_000)),
    bad('an array', '[]'),
    bad('null', 'null'),
    bad('a text', '"name"'),
    bad('a number', '1e400'),
    typed('text/plain'),
    typed('application/x-www-form-urlencoded'),
    typed('multipart/form-data; boundary=x'),
    typed('application/jsonp'),
    typed('application/json;'),
    typed('application/json-patch+json'),
    { title: 'a byte too many', call: { body: large.padEnd(maxBytes + 1) }, ...tooLarge },
    {
      title: 'a large body of another type',
      call: { body: large, headers: { 'Content-Type': 'text/plain' } },
      ...tooLarge,
    },
  ]
}

const WRONG_VALUES: [string, unknown][] = [
  ['an array', []],
  ['an array of arrays', [[['x']]]],
  ['an object', {}],
  ['an object with odd keys', JSON.parse('{"__proto__": {"a": 1}, "constructor": 1, "toString": null}')],
  ['a number', 1],
  ['a fraction', 0.5],
  ['a negative number', -1],
  ['a huge number', 1e308],
  ['a number beyond integers', 2 ** 63],
  ['true', true],
  ['null', null],
  ['an empty text', ''],
  ['spaces', '   '],
  ['an unknown word', 'no such value'],
  ['a list of numbers', [1]],
  ['a list of nulls', [null]],
  ['a list of unknown words', ['no such value', '']],
]
const UNSTORABLE: [string, string][] = [
  ['NUL', 'a\u0000b'],
  ['a lone high surrogate', 'a\uD800b'],
  ['a lone low surrogate', '\uDFFF'],
]

/**
 * Fields that violate the schema of a route's body, each in an otherwise valid body.
 *
 * @param sample a body that the route accepts
 */
export function badFields(document: ApiDocument, route: Route, sample: Record<string, Body>): BadCall[] {
  const schema = document.resolve(route.body ?? {})
  const bad = (title: string, name: string, value: unknown): BadCall => ({
    title: `${name}: ${title}`,
    call: { body: { ...sample, [name]: value } },
    status: 400,
    code: 'VALIDATION_ERROR',
    message: new RegExp(`(^|; )${name}\\b`),
  })
  return Object.entries(schema.properties ?? {}).flatMap(([name, declared]) => {
    const property = document.resolve(declared)
    const types = [property.type].flat()
    const isFree = types.includes('string') && !property.enum && !property.pattern && !property.format
    const isList = types.includes('array') && document.resolve(property.items ?? {}).type === 'string'
    const values = [...WRONG_VALUES]
    if (property.maxLength) values.push(['a character too many', '\u{1F600}'.repeat(property.maxLength + 1)])
    if (property.maxItems) values.push(['an entry too many', Array(property.maxItems + 1).fill('x')])
    // Entries that are objects are checked one by one, and the response has a result for each.
    const isBatch = document.resolve(property.items ?? {}).type === 'object'
    const wrong = values.filter(
      ([, value]) =>
        !document.accepts(route, { ...sample, [name]: value }) &&
        !(
          isBatch &&
          Array.isArray(value) &&
          value.length > 0 &&
          value.length <= (property.maxItems ?? Number.POSITIVE_INFINITY)
        ),
    )
    if (schema.required?.includes(name)) wrong.push(['left out', undefined])
    if (isFree) wrong.push(...UNSTORABLE)
    if (isList)
      wrong.push(...UNSTORABLE.map(([title, text]): [string, string[]] => [`a list with ${title}`, [text]]))
    return wrong.map(([title, value]) => bad(title, name, value))
  })
}

/** Invalid values of path parameters. */
export const BAD_SEGMENTS = [
  '%zz',
  '%',
  '%00',
  '%ff',
  '%F0%9F',
  'a'.repeat(4_000),
  '..%2f..',
  "'%20or%201=1--",
  '{}',
  '%22',
]

/** Query strings that no route expects; they may at most be rejected. */
export const ODD_QUERIES = [
  '%zz',
  'a=%ff',
  'a=%00',
  '__proto__=1&constructor=2',
  '&&=&',
  'a[]=1&a[b]=2',
  'x'.repeat(4_000),
]

/** Odd values of query parameters. */
const ODD_VALUES = [
  '%00',
  '%ff',
  '%zz',
  'abc',
  '-1',
  '0',
  '1.5',
  '1e3',
  '1e999',
  '99999999999999999999',
  '%F0%9F%98%80',
  '%27',
]

/** Query strings with one odd parameter, each with whether the route must reject it. */
export function oddParameters(document: ApiDocument, route: Route) {
  const declared = route.parameters.filter((one) => one.in === 'query')
  return declared.flatMap(({ name, schema }) => {
    const odd = [...ODD_VALUES]
    if (schema.maxLength) odd.push('a'.repeat(schema.maxLength + 1))
    if (schema.maximum !== undefined) odd.push(String(schema.maximum + 1))
    const values = odd.map((value) => {
      const text = decoded(value)
      const isRejected = text === '\0' || (text !== null && !document.takes(route, name, text))
      return { name, query: `${name}=${value}`, isRejected }
    })
    const others = [name, `${name}[]=1`].map((query) => ({ name, query, isRejected: false }))
    return [...values, ...others, { name, query: `${name}=1&${name}=1`, isRejected: true }]
  })
}

/** The text of a part of a URL; null if it is malformed. */
export function decoded(value: string): string | null {
  try {
    return decodeURIComponent(value)
  } catch {
    return null
  }
}

const saying = (table: string) =>
  WHOLE.includes(table) ? `' ' || coalesce(md5(string_agg(t::text, ' ' order by t::text)), '')` : `''`

/**
 * The number of rows of an operator in each table, and for some tables a hash of their content; without sessions and
 * their audit log entries.
 */
export async function rowsOf(h: Harness, operatorId: string): Promise<Record<string, string>> {
  const tables = await h.sql(
    `select table_name as name, column_name as key from information_schema.columns
     where table_schema = 'public' and column_name in ('operator_id', 'agent_id', 'platform_id')
       and table_name not in ('sessions') and table_name not like 'tlog%'`, // filled by jobs
  )
  const mine: Record<string, string> = {
    operator_id: '$1::uuid',
    agent_id: 'any (select id from agents where operator_id = $1::uuid)',
    platform_id: 'any (select id from platforms where operator_id = $1::uuid)',
  }
  const counts = tables.map(
    ({ name, key }) => `select '${name}.${key}' as name, count(*) || ${saying(name)} as rows from ${name} t
    where ${key} = ${mine[key]} ${name === 'audit_log' ? "and action not like 'session.%'" : ''}`,
  )
  const rows = await h.sql(counts.join(' union all '), [operatorId])
  return Object.fromEntries(rows.map(({ name, rows }) => [name, rows]))
}

/** The rejection of a valid credential on a route that names resources of another operator; null if it is allowed. */
export function foreignRejection({ name, path, body }: Route): { status: number; code: string } | null {
  if (KEY_MAY_BE_ANYBODYS.includes(name)) return null
  if (
    (path.includes('{reg}') && !path.startsWith('/platforms/')) ||
    path.startsWith('/incidents/') ||
    body?.$ref?.endsWith('/ActivityInput')
  )
    return { status: 403, code: 'FORBIDDEN' }
  return path.includes('{') ? { status: 404, code: 'NOT_FOUND' } : null
}

/** Expects a rejection with all headers. */
export function expectRejection(
  response: ApiResponse,
  status: number,
  code: string,
  message: RegExp = /./,
): void {
  expectError(response, status, code, message)
  expectHeaders(response)
  const help = new RegExp(`^<https?://[^/>]+/docs/errors#${code}>; rel="help"$`)
  expect(response.headers.get('link')).toMatch(help)
}

/** Whether a route must reject unknown query parameters: it has parameters, or returns a list. */
export function isExact(document: ApiDocument, { method, parameters, responses }: Route): boolean {
  if (parameters.some((one) => one.in === 'query')) return true
  const schema = responses[200]?.content?.['application/json']?.schema
  const data = schema && document.resolve(schema).properties?.data
  return method === 'GET' && data !== undefined && document.resolve(data).type === 'array'
}

/** The path with a well-formed value for each parameter. */
export const anyPath = (path: string) =>
  path
    .replace('{reg}', 'REG-1999-0001-0042-4')
    .replace('{slug}', 'nowhere')
    .replace('{kid}', 'A'.repeat(43))
    .replace(/\{\w*id\}/g, '00000000-0000-7000-8000-000000000000')
