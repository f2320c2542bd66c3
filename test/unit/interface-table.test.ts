import { describe, expect, it } from 'vitest'
import { namesIn, rowsIn } from '../support/named-tests.ts'

const SECTIONS = [
  '2.1',
  '2.2',
  '2.3',
  '2.4',
  '2.5',
  '2.6',
  '2.7',
  '3',
  '4.1',
  '4.2',
  '4.3',
  '4.4',
  '4.5',
  '5',
]
const LAST_SECTIONS = ['7', '8', '9']

interface Row {
  section: string
  sentence: string
  file: string
  test: string
}

const rows = rowsIn('interface.md').map(
  ([section = '', sentence = '', file = '', test = '']): Row => ({ section, sentence, file, test }),
)

describe('the table of the interface', () => {
  it('has rows for every section', () => {
    expect([...new Set(rows.map(({ section }) => section))]).toEqual([...SECTIONS, ...LAST_SECTIONS])
    expect(rows.length).toBeGreaterThan(130)
  })

  it.each(rows)('$section, "$sentence": $test', ({ sentence, file, test }) => {
    expect(sentence).not.toBe('')
    expect(file).toMatch(/^(http|unit|flow|race|fault)\/[\w-]+\.test\.ts$/)
    expect(test).not.toBe('')
    expect([...namesIn(file)], file).toContain(test)
  })
})
