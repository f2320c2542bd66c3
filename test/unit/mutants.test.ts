import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { MUTANTS } from '../mutants/list.ts'

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')

it.each(MUTANTS)('a mutant can be applied, and its test exists: $what', ({ file, find, test, only = '' }) => {
  expect(read(file).split(find).length - 1, `${file}: ${find}`).toBe(1)
  const title = only.split(' > ').at(-1) ?? '' // the names of its groups can be generated
  expect(read(`test/${test}`).includes(title), `${test}: ${title}`).toBe(true)
})
