import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const IMPORT = /^(?:import|export) (?:type )?(?:[^'"]*? from )?'(\.[^']+)'/gm

const [, floors = ''] =
  /\n## The floors\n(.*?)\n## /s.exec(readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')) ?? []
/** The folders of `src`, from the lowest floor, as CONTRIBUTING.md lists them. */
const LISTED = [...floors.matchAll(/^\d+\. .*$/gm)].flatMap(([floor]) =>
  [...floor.matchAll(/`src\/([^`]+)`/g)].map(([, folder = '']) => folder),
)

interface Import {
  from: string
  to: string
}

const imports = globSync('src/**/*.ts', { cwd: ROOT }).flatMap((from): Import[] =>
  [...readFileSync(join(ROOT, from), 'utf8').matchAll(IMPORT)].map(([, path = '']) => ({
    from,
    to: normalize(join(dirname(from), path)),
  })),
)

/** The folder of a file. The subfolders of `webhooks` count as folders, and each file of `src` itself as one. */
function folderOf(file: string): string {
  const [, name = '', part = '', ...below] = file.split('/')
  return name === 'webhooks' && below.length > 0 ? `${name}/${part}` : name
}

it('has only folders that the floors of CONTRIBUTING.md list once', () => {
  const folders = new Set(imports.flatMap(({ from, to }) => [folderOf(from), folderOf(to)]))
  expect(LISTED.toSorted()).toEqual([...folders].sort())
})

it('imports nothing from a folder that is listed later', () => {
  const placeOf = (file: string) => LISTED.indexOf(folderOf(file))
  expect(imports.filter(({ from, to }) => placeOf(to) > placeOf(from))).toEqual([])
})

it('has no generated declaration files next to its sources', () => {
  const options = { cwd: ROOT, exclude: ['**/node_modules', '**/dist'] }
  expect(globSync('{src,scripts,packages,local,test}/**/*.d.{ts,mts}', options)).toEqual([])
})
