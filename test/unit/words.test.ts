import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { proseOf, sqlCommentsOf, textsOf, wordsIn } from '../support/words.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Where texts contain a word that the list replaces. */
function findings(files: readonly string[], read: (text: string) => string): string[] {
  return files.flatMap((file) =>
    wordsIn(read(readFileSync(join(ROOT, file), 'utf8'))).map(
      ({ line, word, instead }) => `${file}:${line}: '${word}': write ${instead}`,
    ),
  )
}

it('the guides use no word of the list', () => {
  const pages = globSync(['*.md', 'docs/**/*.md', 'packages/*/*.md'], { cwd: ROOT })
  expect(findings(pages, proseOf)).toEqual([])
})

it('messages, pages, emails, the OpenAPI document, and the command line use no word of the list', () => {
  const programs = globSync(['src/**/*.ts', 'scripts/{document,site}/*.ts', 'packages/**/*.ts'], {
    cwd: ROOT,
  })
  expect(
    findings(
      programs.filter((file) => !file.endsWith('client/api.ts')),
      textsOf,
    ),
  ).toEqual([])
})

it('the comments of the SQL functions use no word of the list', () => {
  const functions = globSync('drizzle/functions/*.sql', { cwd: ROOT })
  expect(functions).not.toEqual([])
  expect(findings(functions, sqlCommentsOf)).toEqual([])
})

it('words are found only in strings, templates, and SQL comments, with their line', () => {
  const program = [
    "const mended = 'kept for ever' // anew",
    `/* e-mail */ html\`<p>\${f({ a: "by e-mail" })} towards`,
    '</p>`',
    'sql`anew`',
  ].join('\n')
  expect(wordsIn(textsOf(program)).map(({ line, word }) => [line, word])).toEqual([
    [2, 'towards'],
    [2, 'e-mail'],
    [1, 'for ever'],
  ])
  expect(
    wordsIn(sqlCommentsOf("SELECT 'anew -- anew'\n  FROM anew -- anew")).map(({ line }) => line),
  ).toEqual([2])
  expect(wordsIn(proseOf('`anew`\n\n```sh\nanew\n```\nanew')).map(({ line }) => line)).toEqual([6])
})
