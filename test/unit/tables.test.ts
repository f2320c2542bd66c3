import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { MOVES } from '../support/moves.ts'
import { SENTENCES } from '../support/sentences.ts'
import { testTables } from '../support/tables.ts'
import { taggedTests } from '../support/tagged-tests.ts'

const SECTIONS = '2.1 2.2 2.3 2.4 2.5 2.6 2.7 3 4.1 4.2 4.3 4.4 4.5 5 7 8 9'.split(' ')
const KNOWN = [...Object.keys(SENTENCES), ...Object.keys(MOVES)]

const tests = taggedTests()

it('each sentence of the interface and each move of a record is shown by a test', () => {
  const shown = new Set(tests.flatMap(({ ids }) => ids))
  expect(KNOWN.filter((id) => !shown.has(id))).toEqual([])
})

it.each(tests)('$file: $title has only known ids', ({ ids }) => {
  expect(KNOWN).toEqual(expect.arrayContaining(ids))
})

it('every section has sentences, and each move is listed once', () => {
  expect([...new Set(Object.keys(SENTENCES).map((id) => id.slice(0, -1)))].sort()).toEqual(SECTIONS)
  const moves = Object.values(MOVES).map(({ record, from, by, to }) => [record, from, by, to].join(' | '))
  expect(new Set(moves).size).toBe(moves.length)
})

it.each(Object.entries(testTables(tests)))(
  '%s is up to date (otherwise run npm run test:tables)',
  (name, text) => {
    expect(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')).toBe(text)
  },
)
