import { accessSync, constants, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { messageOf } from '../scripts/support/message.ts'

/** Writes a private file (0600) whole or not at all, whatever ends us in the middle. */
export function writeWhole(file: string, text: string): void {
  const partial = `${file}.new`
  writeFileSync(partial, text, { mode: 0o600 })
  renameSync(partial, file)
}

/**
 * Makes sure of a folder that can be written to.
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
    throw new Error(`the data folder cannot be used; choose another with LOCAL_DIR: ${messageOf(error)}`)
  }
  return dir
}

/** As mkdir's own `recursive`, which never returns below /proc. */
function makeFolders(dir: string): void {
  if (existsSync(dir)) return
  makeFolders(dirname(dir))
  try {
    mkdirSync(dir)
  } catch (error) {
    if (!existsSync(dir)) throw error
  }
}
