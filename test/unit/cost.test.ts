import { expect, it } from 'vitest'
import { priceTable } from '../bench/cost/table.ts'
import { readPage, tableIn } from '../support/docs-table.ts'

it('docs/operate/cost.md has the prices that the bench uses', () => {
  expect(tableIn(readPage('operate/cost.md'), 'prices').trim()).toBe(priceTable())
})
