import { globSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

const TESTS = new URL('../', import.meta.url).pathname
const TITLE = /(?:\bit|\btest|\.\w+|\))\(\s*(['"`])((?:\\.|(?!\1)[^\\])+)\1\s*,/g
const TAGS = / \[((?:[\w.]+-?\w+)(?: [\w.]+-?\w+)*)\]$/

/** A test whose title ends with `[id id]`: the sentences of the interface and the state transitions that it covers. */
export interface TaggedTest {
  /** Its path below test/. */
  file: string
  /** Without its tags. */
  title: string
  ids: string[]
}

/** The tagged tests of all files, in the order of files and lines. */
export function taggedTests(): TaggedTest[] {
  const files = globSync(`${TESTS}**/*.test.ts`).sort()
  return files.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(TITLE)].flatMap(([, quote = '', text = '']) => {
      const title = text.replaceAll(`\\${quote}`, quote)
      const ids = TAGS.exec(title)?.[1]?.split(' ')
      return ids ? [{ file: relative(TESTS, path), title: title.replace(TAGS, ''), ids }] : []
    }),
  )
}
