import { expect, it } from 'vitest'
import { compare } from '../support/load/balance.ts'

it('finds what is lost, what is stored twice, and what nobody sent', () => {
  expect(compare(['a', 'b', 'c'], ['a', 'b', 'b', 'd'])).toEqual({
    lost: ['c'],
    doubled: ['b'],
    unexpected: ['d'],
  })
})
