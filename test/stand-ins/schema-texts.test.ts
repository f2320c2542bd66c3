import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

// In a separate process, because in this one the schemas are created before the registry can be patched.
const LISTEN = `
  import * as z from 'zod'
  const described = new Set()
  const twice = []
  const { add } = z.globalRegistry
  z.globalRegistry.add = (schema, meta) => {
    if (described.has(schema)) twice.push(meta)
    described.add(schema)
    return add.call(z.globalRegistry, schema, meta)
  }
  await import('./src/app.ts')
  process.stdout.write(JSON.stringify({ described: described.size, twice }))`

it('describes each schema once: a second description of a shared schema would replace the first', () => {
  const found = execFileSync(process.execPath, ['--input-type=module', '-e', LISTEN], { cwd: ROOT })
  const { described, twice } = JSON.parse(found.toString())
  expect(twice).toEqual([])
  expect(described).toBeGreaterThan(50)
})
