import type { ApiDocument, Schema } from '../support/document.ts'
import type { Random } from './random.ts'

export const words = (text: string) => text.trim().split(/\s+/)

/** Segments of paths that name nothing. */
export const ODD_SEGMENTS = [
  ...words(
    '% %zz %ff %00 %2f %5c %0d%0aX-Injected:%201 .. %2e%2e . __proto__ constructor REG- aaaaaaaa nowhere',
  ),
  ...words('REG-1999-0001-0042-4 REG-1999-0001-0042-A reg-1999-0001-0042-4'),
  ...words(
    '00000000-0000-7000-8000-000000000000 %E2%80%AE %ed%a0%80 %F0%9F%98%80 <script> {reg} :reg \' " \xe9',
  ),
  'x'.repeat(4_000),
]

const LONG = 70_000 // above the body limit of most routes

/** Texts that often cause errors. */
const TEXTS = [
  '',
  ' ',
  '\t\r\n',
  'null',
  'undefined',
  'NaN',
  '0',
  '-1',
  'true',
  '{}',
  '[]',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'a\u0000b',
  '\u0000',
  'a\uD800b',
  '\uDFFF',
  '\uFFFE\uFFFF',
  '\u202Eright to left',
  '\u200B',
  'e\u0301'.repeat(60),
  '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}',
  '\u{1F600}'.repeat(256),
  'ﷺ'.repeat(50),
  'İıẞſ',
  "' or 1=1 --",
  "'; drop table agents; --",
  '$1 $2 %s %n {{7*7}}',
  '\\',
  '\\u0000',
  '%00',
  '%zz',
  '%',
  '*',
  'a:* & !b | (c <-> d)',
  ':*',
  '<script>alert(1)</script>',
  '../../etc/passwd',
  'http://127.0.0.1:1/',
  'https://user:pass@example.com/',
  'https://[::1]/',
  'https://example.com:0/',
  'javascript:alert(1)',
  'a\r\nX-Injected: 1',
  '2026-02-30T00:00:00Z',
  '2026-11-21T10:00:00+99:99',
  '+275760-09-13T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '0000-01-01',
  '9999-12-31T23:59:59.999999999Z',
  'REG-1999-0001-0042-4',
  'REG-9999-9999-9999-Z',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'x'.repeat(256),
  'x'.repeat(5_001),
]

const NUMBERS = [
  0,
  -0,
  1,
  -1,
  0.1,
  50,
  51,
  255,
  1e3,
  1e21,
  1e308,
  5e-324,
  -1e308,
  2 ** 31,
  2 ** 31 - 1,
  -(2 ** 31),
  2 ** 32,
  2 ** 53,
  2 ** 53 + 2,
  2 ** 63,
  2 ** 64,
  1.7976931348623157e308,
]

/** A text that often causes errors. */
export function oddText(random: Random): string {
  const text = random.pick(TEXTS)
  if (random.chance(0.02)) return 'y'.repeat(LONG)
  return random.chance(0.2) ? text + random.pick(TEXTS) : text
}

/** A JSON value of any kind; deep ones are rare. */
export function oddValue(random: Random, depth = 0): unknown {
  const kind = random.weighted({
    text: 6,
    number: 4,
    literal: 2,
    list: depth < 3 ? 2 : 0,
    object: depth < 3 ? 2 : 0,
    deep: 0.2,
  })
  switch (kind) {
    case 'text':
      return oddText(random)
    case 'number':
      return random.pick(NUMBERS)
    case 'literal':
      return random.pick([null, true, false])
    case 'list':
      return Array.from({ length: random.pick([0, 1, 2, 51, 300]) }, () => oddValue(random, depth + 2))
    case 'object':
      return Object.fromEntries(
        Array.from({ length: random.pick([0, 1, 3, 40]) }, (_, n) => [
          `${oddText(random).slice(0, 40)}${n}`,
          oddValue(random, depth + 2),
        ]),
      )
    case 'deep':
      return nested(random.pick([20, 200, 1_000]), random.chance(0.5))
  }
}

function nested(levels: number, isList: boolean): unknown {
  let value: unknown = 1
  for (let n = 0; n < levels; n++) value = isList ? [value] : { a: value }
  return value
}

/** A value that a schema mostly allows: at its bounds, from its enum, or its example. */
export function fittingValue(document: ApiDocument, given: Schema, random: Random): unknown {
  const { enum: known, example, type, minimum = 0, maxLength, items, properties } = document.resolve(given)
  if (known) return random.pick(known)
  if (example !== undefined && random.chance(0.3)) return example
  if (maxLength)
    return random.pick(['a', 'é', '字', '\u{1F600}', "'", ' b']).repeat(random.pick([1, 7, maxLength]))
  if (type === 'integer') return minimum + random.pick([0, 1, 59, 100, 999_999])
  if (items)
    return Array.from({ length: random.pick([0, 1, 2, 20]) }, () => fittingValue(document, items, random))
  if (!properties) return random.chance(0.5) && example !== undefined ? example : oddValue(random, 2)
  const chosen = Object.entries(properties).filter(() => random.chance(0.7))
  return Object.fromEntries(chosen.map(([name, inner]) => [name, fittingValue(document, inner, random)]))
}

/** Names and values as in a query or a form, some without an equals sign or with brackets. */
export function pairsOf(random: Random, count: number, name: () => string, value: () => string): string[] {
  const sign = () => random.pick(['=', '=', '=', '', '[]=', '[a]='])
  return Array.from({ length: count }, () => name() + sign() + value())
}
