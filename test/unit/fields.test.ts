import { describe, expect, it } from 'vitest'
import { claimedName, defaultName } from '../../src/auth/name.ts'
import { sessionParam } from '../../src/auth/schema.ts'
import { regField, slugField, webAddress } from '../../src/wire/fields.ts'

describe('a slug', () => {
  it.each(['ab', 'a1', '42', 'acme-market', 'a'.repeat(50)])('may be %s', (text) => {
    expect(slugField.safeParse(text).success).toBe(true)
  })

  it.each(['a', 'a'.repeat(51), '-ab', 'ab-', 'a--b', 'аb', 'With-Capitals', 'under_score', 'a/b', 'abc\n'])(
    'cannot be %j',
    (text) => {
      const { error } = slugField.safeParse(text)
      expect(error?.issues.map(({ message }) => message)).toEqual([expect.stringMatching(/^must be 2 to 50/)])
    },
  )
})

describe('an agent number', () => {
  it('may be in uppercase', () => {
    expect(regField.safeParse('REG-2026-0001-0042-U').success).toBe(true)
  })

  it.each([
    'REG-2026-0001-0042',
    'REG-2026-0001-0042-u',
    'AGT-2026-0001-0042-U',
    'REG-2026-00010-042-U',
    'REG-٢٠٢٦-0001-0042-U',
    'REG-2026-0001-0042-U\n',
    'REG_2026_0001_0042_U',
  ])('cannot be %j', (text) => {
    const { error } = regField.safeParse(text)
    expect(error?.issues.map(({ message }) => message)).toEqual([expect.stringMatching(/REG-YYYY/)])
  })
})

describe('the id of a session', () => {
  it.each(['1234567', '123456789', '1234-678', '../12345', '12345678\n'])('cannot be %j', (id) => {
    expect(sessionParam.safeParse({ id: '4fJq0w2Z' }).success).toBe(true)
    expect(sessionParam.safeParse({ id }).success).toBe(false)
  })
})

it.each([
  ['http://example.com/', /https/],
  ['javascript:alert(1)', /https/],
  ['https:example.com', /https/],
  ['https://', /https/],
  ['https:///example.net@example.com/', /https/],
  ['https://example.com:65536/', /https/],
  ['https://user@example.com/', /username/],
  ['https://example.com./', /dot/],
  ['https://example/', /public host/],
  ['https://127.0.0.1/', /IP/],
  ['https://exam\nple.com/', /spaces/],
  [' https://example.com/', /spaces/],
  ['https://example.com\\.evil.example/', /backslashes/],
  ['https://example.com/\u202emoc', /invisible/],
  [`https://example.com/${'ü'.repeat(400)}`, /2048/],
])('%j is rejected as a public web address', (text, problem) => {
  const { error } = webAddress.safeParse(text)
  expect(error?.issues.map(({ message }) => message)).toEqual([expect.stringMatching(problem)])
})

it.each([
  ['  Alice ', 'Alice'],
  ['Alice', 'Alice'],
  ['alice', null],
  ['ALICE@EXAMPLE.COM', null],
  ['Alice (alice@example.com)', null],
  ['alice＠example.com', null],
  [' ', null],
  ['Ali\u200bce', null],
  [undefined, null],
])('reads the claim %j as the name %j, but never the email address', (claim, name) => {
  expect(claimedName(claim, 'alice@example.com')).toBe(name)
})

it('names an operator by the end of its id', () => {
  expect(defaultName('01a1fc89-cf65-7e90-91f2-582afd126737')).toBe('Operator 126737')
})
