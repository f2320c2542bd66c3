import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

// In a process of its own: elsewhere the schemas are made before anybody could listen.
const LISTEN = `
  import * as z from 'zod'
  const told = new Set()
  const twice = []
  const { add } = z.globalRegistry
  z.globalRegistry.add = (schema, meta) => {
    if (told.has(schema)) twice.push(meta)
    told.add(schema)
    return add.call(z.globalRegistry, schema, meta)
  }
  await import('./src/app.ts')
  process.stdout.write(JSON.stringify({ told: told.size, twice }))`

it('tells the document of each schema once: by a second time on a shared one the first text would be lost', () => {
  const found = execFileSync(process.execPath, ['--input-type=module', '-e', LISTEN], { cwd: ROOT })
  const { reported, twice } = JSON.parse(found.toString())
  expect(twice).toEqual([])
  expect(reported).toBeGreaterThan(50)
})
