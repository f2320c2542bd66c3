import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const IMPORT = /^(?:import|export) (?:type )?(?:[^'"]*? from )?'(\.[^']+)'/gm

/** The floors of CONTRIBUTING.md, from the lowest; every other folder is a feature. */
const FEATURES = 'features'
const FLOORS = [
  ['lib', 'errors.ts', 'env.ts', 'transparency'],
  ['db'],
  ['services'],
  ['http'],
  ['wire'],
  ['credentials'],
  ['api'],
  ['audit', 'idempotency', 'allowances', 'notifications'],
  [FEATURES],
  ['pages'],
  ['console'],
  ['jobs'],
  ['app.ts'],
  ['index.ts'],
]

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

/** An import cycle that can be reached from a folder; null when there is none. */
function cycleFrom(folder: string, edges: Map<string, Set<string>>, path: string[] = []): string | null {
  if (path.includes(folder)) return [...path.slice(path.indexOf(folder)), folder].join(' → ')
  for (const next of edges.get(folder) ?? []) {
    const found = cycleFrom(next, edges, [...path, folder])
    if (found) return found
  }
  return null
}

it('has no import cycle between folders', () => {
  const edges = new Map<string, Set<string>>()
  for (const { from, to } of imports) {
    const [a, b] = [folderOf(from), folderOf(to)]
    if (a !== b) edges.set(a, (edges.get(a) ?? new Set()).add(b))
  }
  expect(edges.size).toBeGreaterThan(20)
  expect([...edges.keys()].map((folder) => cycleFrom(folder, edges)).find((found) => found)).toBeUndefined()
})

it('imports nothing from a higher floor', () => {
  const floorOf = (file: string) => {
    const name = file.split('/')[1] ?? ''
    const floor = FLOORS.findIndex((folders) => folders.includes(name))
    return floor < 0 ? FLOORS.findIndex((folders) => folders.includes(FEATURES)) : floor
  }
  expect(imports.filter(({ from, to }) => floorOf(to) > floorOf(from))).toEqual([])
})

it('has no generated declaration files next to its sources', () => {
  const options = { cwd: ROOT, exclude: ['**/node_modules', '**/dist'] }
  expect(globSync('{src,scripts,packages,local,test}/**/*.d.{ts,mts}', options)).toEqual([])
})
