import { expect, it } from 'vitest'
import { dollarsOf, sumOf } from '../bench/cost/prices.ts'
import { priceTable } from '../bench/cost/table.ts'
import { readPage, tableIn } from '../support/docs-table.ts'

it('the cost of a million calls is the sum of the prices of what they use', () => {
  const million = 1e6
  const dollars = dollarsOf({
    worker_requests: million,
    worker_ms: 2 * million,
    statements: 3 * million,
    postgres_ms: 1_800_000,
    postgres_bytes: 2e9,
    redis_commands: 2 * million,
    qstash_messages: million,
    bytes_out: 1e12,
  })
  const rounded = Object.entries(dollars).map(([name, one]) => [name, Number(one.toFixed(6))])
  expect(Object.fromEntries(rounded)).toEqual({
    worker_request: 0.3,
    worker_ms: 0.04,
    cu_hour: 0.106,
    postgres_byte: 0.2,
    redis_command: 4,
    qstash_message: 10,
  })
  expect(sumOf(dollars)).toBeCloseTo(14.646)
})

it('docs/operate/cost.md has the prices that the bench uses', () => {
  expect(tableIn(readPage('operate/cost.md'), 'prices').trim()).toBe(priceTable())
})

it('docs/operate/cost.md has a monthly total that follows from its tables', () => {
  const page = readPage('operate/cost.md')
  const [section = ''] = /^## Monthly total\n.*?^## /ms.exec(page) ?? []
  const cells = section.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
  const rows = cells.filter(([, name = '', , , dollars]) => !name.startsWith('*') && Number(dollars) > 0)
  expect(rows.length).toBe(7)
  for (const [, name, amount = '', price = '', dollars] of rows) {
    if (amount === '') continue
    expect(Number(dollars), name).toBeCloseTo((Number(amount.replaceAll(',', '')) * Number(price)) / 1e6, 2)
    expect(page.split('## By request')[1]).toContain(`| ${price} |`)
  }
  const total = rows.reduce((sum, [, , , , dollars]) => sum + Number(dollars), 0)
  expect(section).toContain(`**${total.toFixed(2)}**`)
})
