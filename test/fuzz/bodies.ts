import { parseJson } from '../../src/lib/json.ts'
import type { ApiDocument, Route } from '../support/document.ts'
import type { Random } from './random.ts'
import { fittingValue, oddText, oddValue } from './values.ts'

const JSON_TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'Application/JSON;q=1',
  'application/json;',
]
const OTHER_TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonp',
  'application/json-seq',
  '*/*',
  'json',
  '',
]

interface FuzzedBody {
  bytes: Buffer
  /** Null for none. */
  type: string | null
  /** Whether every route must reject it. */
  rejected: boolean
}

/**
 * A body for a route: matching its schema, violating it, or not JSON.
 *
 * @param sample a body that the route accepts
 */
export function fuzzedBody(document: ApiDocument, route: Route, sample: unknown, random: Random): FuzzedBody {
  const kind = random.weighted({ fitting: 5, changed: 4, odd: 1, broken: 3, untyped: 1 })
  const fitting = withOptional(document, route, sample, random)
  switch (kind) {
    case 'fitting':
      return judged(document, route, JSON.stringify(fitting), random.pick(JSON_TYPES))
    case 'changed':
      return judged(document, route, JSON.stringify(changed(fitting, random)), random.pick(JSON_TYPES))
    case 'odd':
      return judged(document, route, JSON.stringify(oddValue(random)), 'application/json')
    case 'broken':
      return { type: 'application/json', ...broken(JSON.stringify(fitting), random) }
    case 'untyped':
      return {
        bytes: Buffer.from(JSON.stringify(fitting)),
        type: random.pick([...OTHER_TYPES, null]),
        rejected: true,
      }
  }
}

function judged(document: ApiDocument, route: Route, text: string, type: string): FuzzedBody {
  const isBatch = route.path.endsWith('/batch') // its items are judged one by one
  return { bytes: Buffer.from(text), type, rejected: !isBatch && !document.accepts(route, JSON.parse(text)) }
}

function withOptional(document: ApiDocument, route: Route, sample: unknown, random: Random): unknown {
  if (!isObject(sample)) return sample
  const declared = document.resolve(route.body ?? {}).properties ?? {}
  const body: Record<string, unknown> = { ...sample }
  for (const [name, schema] of Object.entries(declared)) {
    if (!(name in body) && random.chance(0.4)) body[name] = fittingValue(document, schema, random)
    else if (
      typeof body[name] === 'string' &&
      !['reg', 'domain', 'method', 'since'].includes(name) &&
      random.chance(0.3)
    ) {
      body[name] = fittingValue(document, schema, random)
    }
  }
  return body
}

/** A copy of the value with one to three fields replaced, removed, or added. */
function changed(value: unknown, random: Random): unknown {
  const copy = structuredClone(value)
  for (let left = 1 + random.below(3); left > 0; left--) changeOnce(copy, random)
  return copy
}

function changeOnce(value: unknown, random: Random): void {
  if (!isObject(value) && !Array.isArray(value)) return
  const holder = value as Record<string, unknown>
  const names = Object.keys(holder)
  const name = names.length > 0 ? random.pick(names) : 'name'
  const inner = holder[name]
  if (typeof inner === 'object' && inner !== null && random.chance(0.5)) {
    changeOnce(inner, random)
    return
  }
  const how = random.weighted({ replaced: 6, left_out: 1, added: 2 })
  if (how === 'left_out' && !Array.isArray(value)) delete holder[name]
  else if (how === 'added' && !Array.isArray(value)) {
    const added = random.pick([
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'id',
      'operator_id',
      'status',
      'role',
      oddText(random),
    ])
    Object.defineProperty(holder, added, {
      value: oddValue(random),
      enumerable: true,
      configurable: true,
      writable: true,
    })
  } else holder[name] = oddValue(random)
}

/** Malformed or unusual JSON. */
function broken(text: string, random: Random): { bytes: Buffer; rejected: boolean } {
  const bytes = Buffer.from(text)
  const cut = random.below(bytes.length)
  const invalid = (wrong: Buffer | string) => ({
    bytes: Buffer.from(wrong),
    rejected: parseJson(wrong.toString()) === undefined,
  })
  const unusual = (odd: Buffer | string) => ({ bytes: Buffer.from(odd), rejected: false })
  const how: (() => { bytes: Buffer; rejected: boolean })[] = [
    () => invalid(''),
    () => invalid(bytes.subarray(0, cut)),
    () => invalid(`${text}${random.pick(['}', ']', ',', '\u0000', text, 'x'])}`),
    () => invalid(text.replace(/"/g, "'")),
    () => invalid(text.replace('{', '{/**/')),
    () => invalid(text.replace(/:"?[^,}]*/, ':NaN')),
    () => invalid('['.repeat(30_000)),
    () => invalid('{"a":'.repeat(5_000)),
    () => invalid(`"${'\\'.repeat(1_001)}`),
    () => unusual(`${'['.repeat(9_000)}${']'.repeat(9_000)}`),
    () =>
      unusual(
        text.replace(
          '{',
          `{${random.pick(['"__proto__":{"name":1},', '"name":"first",', '"reg":1,', '"":1,', '"constructor":{"prototype":{"x":1}},'])}`,
        ),
      ),
    () => unusual(text.replace(/"([^"]*)"(?=[,}\]])/, '"\\ud800"')),
    () => unusual(text.replace(/"([^"]*)"(?=[,}\]])/, '"\\u0000"')),
    () =>
      unusual(
        text.replace(
          /:("[^"]*"|[\d.]+)/,
          `:${random.pick(['1e400', '-0', '1E+2', '12345678901234567890', `0.${'1'.repeat(400)}`])}`,
        ),
      ),
    () => unusual(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])),
    () => unusual(Buffer.from(text, 'utf16le')),
    () =>
      unusual(
        Buffer.concat([
          bytes.subarray(0, cut),
          Buffer.from([random.pick([0xff, 0xc0, 0x80, 0xed, 0x00])]),
          bytes.subarray(cut),
        ]),
      ),
    () => unusual(`${' \n\t\r'.repeat(random.pick([1, 10_000]))}${text}`),
    () => unusual(text.replace('{', `{"pad":"${'p'.repeat(random.pick([60_000, 70_000, 1_100_000]))}",`)),
  ]
  return random.pick(how)()
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
