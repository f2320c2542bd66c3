import { describe, expect, test } from 'vitest'
import { metadataProblem } from '../../src/activity/metadata.ts'

const MAX_BYTES = 16 * 1024
const FRAME_BYTES = '{"a":""}'.length

const nested = (levels: number): Record<string, unknown> => (levels === 1 ? {} : { a: nested(levels - 1) })
const parsed = (json: string) => metadataProblem(JSON.parse(json))

describe('metadata', () => {
  test.each([
    {},
    { text: 'null' },
    { text: null, list: [null, 1.7e308, -1.7e308] },
    { text: 'é €\t\n\b 😀' },
    { text: 'a control character \u001f, and what only looks like an escape: \\u0000 \\ud800' },
    { 'null \\u0000': [] },
    nested(10),
    { a: [[[[[[[[[]]]]]]]]] },
  ])('that can be stored: %j', (metadata) => {
    expect(metadataProblem(metadata)).toBeNull()
  })

  test.each([[nested(11)], [{ a: [[[[[[[[[[]]]]]]]]]] }], [{ text: 'x'.repeat(MAX_BYTES), ...nested(11) }]])(
    'of more than ten levels are refused',
    (metadata) => {
      expect(metadataProblem(metadata)).toBe('at most 10 levels')
    },
  )

  test('nested so deep that writing them down would fail are refused', () => {
    const depth = 200_000
    expect(parsed(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`)).toBe('at most 10 levels')
  })

  test.each([
    ['x', 1],
    ['é', 2],
    ['€', 3],
    ['😀', 4],
    ['"', 2],
    ['\u0001', 6],
  ])('are measured in bytes of UTF-8 as JSON: %j takes %i', (character, bytes) => {
    const room = MAX_BYTES - FRAME_BYTES
    const most = character.repeat(Math.floor(room / bytes)) + 'x'.repeat(room % bytes)
    expect(metadataProblem({ a: most })).toBeNull()
    expect(metadataProblem({ a: `${most}x` })).toBe('at most 16384 bytes')
  })

  test.each(['{"a":1e400}', '{"a":-1e309}', '{"a":{"b":[null,{"c":1e999}]}}'])(
    'with a number beyond a double are refused: %s',
    (json) => {
      expect(parsed(json)).toMatch(/^numbers must be/)
    },
  )

  test.each([
    '{"a":"\\u0000"}',
    '{"a\\u0000":1}',
    '{"a":[{"b":"\\ud800"}]}',
    '{"\\udfff":1}',
    '{"a":"\\ude00\\ud83d"}',
  ])('that Postgres cannot store are refused: %s', (json) => {
    expect(parsed(json)).toMatch(/^must not contain NUL/)
  })
})
