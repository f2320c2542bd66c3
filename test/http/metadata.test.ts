import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { metadataProblem, storedBytes } from '../../src/activity/metadata.ts'
import { tirelessReporter } from '../support/fill.ts'
import { type Body, expectError, shared } from '../support/harness.ts'

const h = shared()
const { api, sql } = h

const MAX_BYTES = 16 * 1024
const PAGE_MAX_BYTES = 1024 * 1024

const randomInt = (low: number, high: number) => low + Math.floor(Math.random() * (high - low))
const any = <T>(list: readonly T[]): T => list[randomInt(0, list.length)] as T
const TEXTS = [...'aé€😀"\\\u0001\u007f\u2028/\n', '', ', ', ': ', '1e-7']
// No escapes: V8 13.6 (Node 24) parses {"a":1,"\\n":1} with the keys of {"a":1,"\\\\":1} after it has parsed the latter.
const KEYS = ['', 'a', 'é', '€', '😀', ' ', ': ', ', ']
const ODD_NUMBERS = [1e-7, -1.5e-7, 0.1 + 0.2, 1e15, Number.MIN_SAFE_INTEGER, 1 / 3, 1e-6 / 3, -2 / 3]
const NUMBERS = [0, -0, 1, -1, ...ODD_NUMBERS]

const text = () => Array.from({ length: randomInt(0, 4) }, () => any(TEXTS)).join('')
const bits = () => randomBytes(8).readDoubleLE()
const scalar = (): unknown =>
  any([
    () => any(NUMBERS),
    bits,
    () => Math.random() * 10 ** -randomInt(0, 10),
    text,
    () => null,
    () => true,
  ])()

/** A random value of about `parts` scalars, wide or deep. */
function value(parts: number, levels: number, make: () => unknown): unknown {
  if (parts <= 1 || levels === 0) return make()
  const width = any([parts, Math.min(parts, 3)])
  const inner = Array.from({ length: width }, () => value(Math.floor(parts / width), levels - 1, make))
  return any([true, false]) ? inner : Object.fromEntries(inner.map((each, n) => [`${n}${any(KEYS)}`, each]))
}

it('valid metadata is stored unchanged, and never violates the check constraint of the table', async () => {
  const kinds = [scalar, () => 1, () => 1e-7, () => any(NUMBERS), text, () => [], () => ({})]
  const accepted: Body[] = []
  for (let n = 0; n < 150; n++) {
    const metadata = { a: value(randomInt(1, any([10, 1_000, 9_000])), randomInt(1, 8), any(kinds)) }
    const problem = metadataProblem(metadata)
    const bytes = new TextEncoder().encode(JSON.stringify(metadata)).byteLength
    if (problem?.message.startsWith('at most 16384')) expect(bytes).toBeGreaterThan(MAX_BYTES)
    if (problem?.message.startsWith('at most 20000')) expect(storedBytes(metadata)).toBeGreaterThan(20_000)
    if (problem === null) accepted.push(metadata)
  }
  expect(accepted.length).toBeGreaterThan(40)
  const rows = await sql(
    `select octet_length(m::jsonb::text) as bytes, m::jsonb::text as text
     from unnest($1::text[]) with ordinality as t (m, n) order by n`,
    [accepted.map((metadata) => JSON.stringify(metadata))],
  )
  for (const [n, { bytes, text }] of rows.entries()) {
    expect(bytes).toBe(storedBytes(accepted[n]))
    expect(bytes).toBeLessThanOrEqual(20_000)
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(accepted[n])))
    expect(text).not.toMatch(/(^|[[ ])-?[\d.]{25,}[,\]}]/)
  }
})

it('invalid metadata is rejected with its path, in a single report and within a batch', async () => {
  const { reg, key: token } = await tirelessReporter(h)
  const event = (metadata: string) => `{"reg":"${reg}","event_type":"x","metadata":${metadata}}`
  const bad: [metadata: string, message: RegExp][] = [
    ['{"amounts":[1,{"cents":9007199254740993}]}', /^metadata\.amounts\.1\.cents: must be between /],
    ['{"x":1E400}', /^metadata\.x: must be between /],
    [`{"x":[${'1,'.repeat(7_000)}1]}`, /^metadata: at most 20000 bytes when /],
  ]
  for (const [metadata, message] of bad) {
    const response = await api('POST', '/activity/report', { token, body: event(metadata) })
    expectError(response, 400, 'VALIDATION_ERROR', message)
  }
  const events = [...bad.map(([metadata]) => event(metadata)), event('{"x":[-0,1e-7,0.30000000000000004]}')]
  const { status, body } = await api('POST', '/activity/report/batch', {
    token,
    body: `{"events":[${events.join()}]}`,
  })
  expect(status).toBe(207)
  for (const [n, [, message]] of bad.entries()) expect(body.data[n].error.message).toMatch(message)
  const { body: listed } = await api('GET', `/agents/${reg}/activity`)
  expect(listed.data.map(({ metadata }: Body) => metadata)).toEqual([{ x: [0, 1e-7, 0.30000000000000004] }])
})

it('metadata of any content keeps a page of the log below 1 MB', async () => {
  for (const metadata of [
    { a: '\u0001'.repeat(2_729) },
    { a: Array.from({ length: 500 }, () => 1e-7), b: 'x'.repeat(MAX_BYTES - 2_600) },
  ]) {
    const { reg, key: token } = await tirelessReporter(h)
    const event = { reg, event_type: 't'.repeat(50), severity: 'critical', metadata }
    await h.reportBatch(token, Array(50).fill(event))
    const page = await api('GET', `/agents/${reg}/activity?per_page=50`)
    expect(page.body.data).toHaveLength(50)
    expect(new TextEncoder().encode(page.text).byteLength).toBeLessThan(PAGE_MAX_BYTES)
  }
})
