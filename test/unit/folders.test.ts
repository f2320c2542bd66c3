import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const IMPORT = /^(?:import|export) (type )?(?:[^'"]*? from )?'(\.[^']+)'/gm
/** What only the document and the tests need: schemas of responses must not get into the Worker. */
const DOCUMENT_ONLY = /\/(responses|event-types)\.ts$/

interface Import {
  from: string
  to: string
  isType: boolean
}

const imports = globSync('src/**/*.ts', { cwd: ROOT }).flatMap((from): Import[] =>
  [...readFileSync(join(ROOT, from), 'utf8').matchAll(IMPORT)].map(([, type, path = '']) => ({
    from,
    to: normalize(join(dirname(from), path)),
    isType: type !== undefined,
  })),
)

/** The folder of a file; `webhooks` is three, and the files of `src` itself stand for themselves. */
function folderOf(file: string): string {
  const [, name = '', part = '', ...below] = file.split('/')
  return name === 'webhooks' && below.length > 0 ? `${name}/${part}` : name
}

/** A way that leads from a folder back to itself; null when there is none. */
function cycleFrom(folder: string, edges: Map<string, Set<string>>, way: string[] = []): string | null {
  if (way.includes(folder)) return [...way.slice(way.indexOf(folder)), folder].join(' → ')
  for (const next of edges.get(folder) ?? []) {
    const found = cycleFrom(next, edges, [...way, folder])
    if (found) return found
  }
  return null
}

it('has no two folders of which each imports the other, by whatever way', () => {
  const edges = new Map<string, Set<string>>()
  for (const { from, to } of imports) {
    const [a, b] = [folderOf(from), folderOf(to)]
    if (a !== b) edges.set(a, (edges.get(a) ?? new Set()).add(b))
  }
  expect(edges.size).toBeGreaterThan(20)
  expect([...edges.keys()].map((folder) => cycleFrom(folder, edges)).find((found) => found)).toBeUndefined()
})

it('keeps what only the document needs out of the Worker', () => {
  const isForDocument = ({ from, to }: Import) => DOCUMENT_ONLY.test(to) && !DOCUMENT_ONLY.test(from)
  expect(imports.filter(isForDocument).length).toBeGreaterThan(10)
  expect(imports.filter((one) => isForDocument(one) && !one.isType)).toEqual([])
})

it('has no declarations next to its sources, as a build that writes there would leave them', () => {
  const options = { cwd: ROOT, exclude: ['**/node_modules', '**/dist'] }
  expect(globSync('{src,scripts,packages,local,test}/**/*.d.{ts,mts}', options)).toEqual([])
})
