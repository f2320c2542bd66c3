import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleWorker } from './workerd.ts'

/** Bundles the Worker once for all stacks of a test run; the processes of the tests find it in TEST_BUNDLE. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.TEST_BUNDLE || process.env.STACK) return
  const dir = mkdtempSync(join(tmpdir(), 'registry-bundle-'))
  process.env.TEST_BUNDLE = JSON.stringify(await bundleWorker(dir, { minify: false }))
  return async () => {
    delete process.env.TEST_BUNDLE
    await rm(dir, { recursive: true, force: true })
  }
}
