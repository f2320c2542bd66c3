import { expect, it } from 'vitest'
import { claimedName, defaultName } from '../../src/auth/name.ts'

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
