import { describe, expect, test } from 'vitest'
import { metadataProblem } from '../../src/activity/metadata.ts'

const MAX_BYTES = 16 * 1024
const FRAME_BYTES = '{"a":""}'.length

const nested = (levels: number): Record<string, unknown> => (levels === 1 ? {} : { a: nested(levels - 1) })
const parsed = (json: string) => metadataProblem(JSON.parse(json))
const wholly = (message: string) => ({ path: [], message })

describe('metadata', () => {
  test.each([
    {},
    { text: 'null' },
    { text: 'é €\t\n\b 😀' },
    { text: 'a control character \u001f, and what only looks like an escape: \\u0000 \\ud800' },
    nested(10),
    { a: [[[[[[[[[]]]]]]]]] },
  ])('is accepted: %j', (metadata) => {
    expect(metadataProblem(metadata)).toBeNull()
  })

  test.each([[nested(11)], [{ a: [[[[[[[[[[]]]]]]]]]] }], [{ text: 'x'.repeat(MAX_BYTES), ...nested(11) }]])(
    'of more than ten levels is rejected',
    (metadata) => {
      expect(metadataProblem(metadata)).toEqual(wholly('at most 10 levels'))
    },
  )

  test('is rejected when it is nested too deeply to serialize', () => {
    const depth = 200_000
    expect(parsed(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`)).toEqual(wholly('at most 10 levels'))
  })

  test.each([
    ['x', 1],
    ['é', 2],
    ['€', 3],
    ['😀', 4],
    ['"', 2],
    ['\u0001', 6],
  ])('is measured in bytes of UTF-8 as JSON: %j takes %i', (character, bytes) => {
    const room = MAX_BYTES - FRAME_BYTES
    const most = character.repeat(Math.floor(room / bytes)) + 'x'.repeat(room % bytes)
    expect(metadataProblem({ a: most })).toBeNull()
    expect(metadataProblem({ a: `${most}x` })).toEqual(wholly('at most 16384 bytes'))
  })

  test('of many small values is rejected when the spaces that Postgres adds make it too long', () => {
    const list = (length: number) => ({ a: Array.from({ length }, () => 1) })
    // '{"a": [1, 1, …]}' takes three bytes for each 1, and six for the rest.
    expect(metadataProblem(list(6_664))).toBeNull()
    expect(metadataProblem(list(6_665))).toEqual(wholly(expect.stringMatching(/^at most 20000 bytes when/)))
    const small = { a: Array.from({ length: 3_000 }, () => 1e-7) }
    expect(JSON.stringify(small).length).toBeLessThan(MAX_BYTES)
    expect(metadataProblem(small)).toEqual(wholly(expect.stringMatching(/^at most 20000 bytes when/)))
  })

  test.each(['{"a":"\\u0000"}', '{"a\\u0000":1}', '{"a":[{"b":"\\ud800"}]}', '{"a":"\\ude00\\ud83d"}'])(
    'that Postgres cannot store is rejected: %s',
    (json) => {
      expect(parsed(json)?.message).toMatch(/^must not contain NUL/)
    },
  )
})

describe('a number in metadata', () => {
  const problem = (json: string) => parsed(`{"a":${json}}`)?.message ?? null

  test.each([
    '0',
    '0.0',
    '-0e400',
    '9007199254740991',
    '0.30000000000000004', // 0.1 + 0.2
    '-0.1234567890123456',
    '1e-7',
    '0.0000012345678901234567', // 24 characters
    '1.23456789012345e-7', // 23, written out
    '1e-400', // the nearest double is 0
  ])('is accepted if it is stored without loss: %s', (json) => {
    expect(problem(json)).toBeNull()
  })

  test.each([
    '9007199254740992',
    '9007199254740993', // JSON.parse makes it 9007199254740992
    '9007199254740992.5',
    '1e22',
    '1E400',
  ])('is rejected outside of the safe integers: %s', (json) => {
    expect(problem(json)).toMatch(/^must be between -9007199254740991 and 9007199254740991/)
  })

  test.each(['5e-324', '1e-308', '9.99e-8', '-1e-8', '0.00000001'])(
    'is rejected if it is too close to 0: %s',
    (json) => {
      expect(problem(json)).toMatch(/^must be 0, or at least 1e-7 away from 0/)
    },
  )

  test.each(['-0.0000012345678901234567', '1.2345678901234567e-7', '-1.234567890123456e-7'])(
    'is rejected if it takes more than 24 characters: %s',
    (json) => {
      expect(problem(json)).toMatch(/^at most 24 characters/)
    },
  )

  test('is named by its path, in which long keys are cut', () => {
    const long = '😀'.repeat(1_000)
    const cases: [unknown, string[]][] = [
      [{ a: 1, b: [0, { c: 1e300 }] }, ['b', '1', 'c']],
      [{ [long]: 1e300 }, ['😀'.repeat(50)]],
      [JSON.parse('{"__proto__":{"x":1e300}}'), ['__proto__', 'x']],
    ]
    for (const [metadata, path] of cases)
      expect(metadataProblem(metadata as Record<string, unknown>)?.path).toEqual(path)
  })
})
