import { existsSync, readFileSync } from 'node:fs'

const TESTS = new URL('../', import.meta.url)
const names = new Map<string, Set<string>>()

/**
 * The names of the tests in a file, as they are written: the first argument of a call, a text on its own.
 *
 * @param file its path below test/
 */
export function namesIn(file: string): Set<string> {
  const known = names.get(file)
  if (known) return known
  const path = new URL(file, TESTS)
  const source = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const found = [...source.matchAll(/(?:\bit|\btest|\))\(\s*(['"`])((?:\\.|(?!\1)[^\\])+)\1\s*,/g)]
  const own = new Set(found.map(([, quote, text = '']) => text.replaceAll(`\\${quote}`, quote ?? '')))
  names.set(file, own)
  return own
}

/** The cells of the rows of a Markdown table below test/, without its head. */
export function rowsIn(file: string): string[][] {
  const rows = readFileSync(new URL(file, TESTS), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  return rows.slice(1)
}
