import { describe, expect, it } from 'vitest'
import { namesIn, rowsIn } from '../support/named-tests.ts'

const RECORDS = [
  'agent',
  'API key',
  'session',
  'operator',
  'incident',
  'ownership',
  'KYC',
  'webhook of a platform',
  'delivery',
]

const rows = rowsIn('states.md').map(([record = '', from = '', by = '', to = '', file = '', test = '']) => ({
  record,
  from,
  by,
  to,
  file,
  test,
}))

describe('the table of states', () => {
  it('has rows for every record that has states, and each move once', () => {
    expect([...new Set(rows.map(({ record }) => record))]).toEqual(RECORDS)
    const moves = rows.map(({ record, from, by, to }) => [record, from, by, to].join(' | '))
    expect(new Set(moves).size).toBe(moves.length)
  })

  it.each(rows)('$record, from $from by $by to $to: $test', ({ from, by, to, file, test }) => {
    expect([from, by, to]).not.toContain('')
    expect([...namesIn(file)], file).toContain(test)
  })
})
