import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const TESTS = new URL('../', import.meta.url)
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

const rows = readFileSync(new URL('interface.md', TESTS), 'utf8')
  .split('\n')
  .filter((line) => /^\| *\d/.test(line))
  .map((line): Row => {
    const [section = '', sentence = '', file = '', test = ''] = line.split('|').slice(1, -1).map(trimmed)
    return { section, sentence, file, test }
  })

function trimmed(cell: string): string {
  return cell.trim()
}

const names = new Map<string, Set<string>>()

/** The names of the tests in a file, as they are written: the first argument of a call, a text on its own. */
function namesIn(file: string): Set<string> {
  const known = names.get(file)
  if (known) return known
  const path = new URL(file, TESTS)
  const source = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const found = [...source.matchAll(/(?:\bit|\btest|\))\(\s*(['"`])((?:\\.|(?!\1)[^\\])+)\1\s*,/g)]
  const own = new Set(found.map(([, quote, text = '']) => text.replaceAll(`\\${quote}`, quote ?? '')))
  names.set(file, own)
  return own
}

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
