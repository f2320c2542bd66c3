import type { Random } from './random.ts'

const x = (count: number) => 'x'.repeat(count)

/** Values that often cause errors, of headers that the Worker reads. A name may be sent in several lines. */
const ODD: Record<string, readonly string[]> = {
  'Idempotency-Key': [
    '',
    ' ',
    'a',
    x(255),
    x(256),
    x(4_000),
    '\xe9\xff',
    'a, b',
    '"quoted"',
    'null',
    '__proto__',
    '\x80',
    "'; --",
    '\t',
  ],
  'X-Test-Now': [
    '',
    'now',
    '0',
    '2026-11-21',
    '2026-11-21T10:00:00',
    '2026-13-45T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '-000001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    '+010000-01-01T00:00:00Z',
    '+275760-09-13T00:00:00.000Z',
    '2027-12-31T23:59:59.999Z',
    'Thu, 01 Jan 1970 00:00:00 GMT',
    x(4_000),
  ],
  'If-None-Match': [
    '*',
    '""',
    'W/""',
    'W/"x", "y"',
    '"',
    'W/',
    `"${x(4_000)}"`,
    `${'"a",'.repeat(800)}"b"`,
    '\xff',
  ],
  Accept: ['text/html', '*/*;q=0', 'application/xml', `${'text/html,'.repeat(500)}`, 'text/html;q=NaN', ''],
  'Content-Encoding': ['gzip', 'deflate', 'br', 'identity', 'x'],
  Cookie: [
    'a',
    '=',
    '; ;',
    `sign_in=${x(3_000)}`,
    '__Host-reg_sign_in=x.y.z',
    '__proto__=1',
    '\xe9=\xff',
    'a=%zz',
  ],
  Origin: ['null', 'https://example.com', 'http://localhost', '\xe9', x(3_000)],
  'CF-Connecting-IP': [
    '',
    'x',
    '::',
    '::1',
    '1.2.3.4.5',
    '::ffff:1.2.3.4',
    'g:h::i',
    '1:2:3:4:5:6:7:8:9',
    x(2_000),
    '0x7f.1',
    '\xff',
    '__proto__',
  ],
  'CF-Ray': ['x', '\xe9\xff', x(4_000), '{"a":1}', ' '],
  'User-Agent': ['', x(5_000), '\xff\xfe', '<b>'],
  Prefer: ['return=minimal', 'x'],
}
const NAMES = Object.keys(ODD)

/** Some odd headers, most often none. */
export function headersOf(random: Random): [string, string][] {
  const headers: [string, string][] = []
  while (random.chance(0.35) && headers.length < 12) {
    const name = random.pick(NAMES)
    headers.push([name, random.pick(ODD[name] ?? [''])])
  }
  if (random.chance(0.01)) for (let n = 0; n < 60; n++) headers.push([`X-Many-${n}`, x(50)])
  return headers
}
