import { chmodSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeTemplate } from './template.ts'
import { bundleWorker } from './workerd.ts'

const COMPILED = join(import.meta.dirname, '../../node_modules/.cache/compiled')

/**
 * Creates the Worker's bundle and a migrated database once for all stacks of a test run, because each takes seconds.
 * Test processes find them in TEST_BUNDLE and TEST_DATABASE.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TEST_BUNDLE || process.env.STACK) return
  const dir = mkdtempSync(join(tmpdir(), 'registry-made-'))
  chmodSync(dir, 0o711) // if this process is root, the database runs as another user
  process.env.NODE_COMPILE_CACHE ??= COMPILED // tests start commands some 300 times
  const [bundle, database] = await Promise.all([
    bundleWorker(dir, { minify: false }),
    makeTemplate(join(dir, 'postgres')),
  ])
  process.env.TEST_BUNDLE = JSON.stringify(bundle)
  if (database) process.env.TEST_DATABASE = database
  return async () => {
    delete process.env.TEST_BUNDLE
    delete process.env.TEST_DATABASE
    await rm(dir, { recursive: true, force: true })
  }
}
