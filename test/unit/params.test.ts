import { describe, expect, it } from 'vitest'
import { sessionParam } from '../../src/auth/schema.ts'
import { regField, slugField } from '../../src/wire/fields.ts'

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
