import { accessSync, constants, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { messageOf } from '../scripts/support/message.ts'

/** Writes a private file (0600) atomically. */
export function writeAtomically(file: string, text: string): void {
  const partial = `${file}.new`
  writeFileSync(partial, text, { mode: 0o600 })
  renameSync(partial, file)
}

/**
 * Creates a folder if it does not exist, and checks that it is writable.
 *
 * @returns its absolute path
 * @throws Error that names LOCAL_DIR
 */
export function makeFolder(folder: string): string {
  const dir = resolve(folder)
  try {
    makeFolders(dir)
    accessSync(`${dir}/.`, constants.W_OK)
  } catch (error) {
    throw new Error(`the data folder cannot be used; set LOCAL_DIR to another one: ${messageOf(error)}`)
  }
  return dir
}

/** In place of the option `recursive` of mkdir, which never returns below /proc. */
function makeFolders(dir: string): void {
  if (existsSync(dir)) return
  makeFolders(dirname(dir))
  try {
    mkdirSync(dir)
  } catch (error) {
    if (!existsSync(dir)) throw error
  }
}
