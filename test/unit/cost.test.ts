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
