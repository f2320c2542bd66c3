import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** A temporary folder, removed after the tests of the file or of the `describe` that calls this. */
export function testFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'registry-test-'))
  chmodSync(dir, 0o711) // if run as root, PostgreSQL's user needs access
  afterAll(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Makes new temporary folders, removed like that of `testFolder`. */
export function testFolders(): () => string {
  const home = testFolder()
  let count = 0
  return () => {
    const dir = join(home, String(++count))
    mkdirSync(dir)
    return dir
  }
}
