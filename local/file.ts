import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { z } from 'zod'
import { messageOf } from '../scripts/support/message.ts'

/** Writes a private file (0600) atomically. */
export function writeAtomically(file: string, text: string): void {
  const partial = `${file}.new`
  writeFileSync(partial, text, { mode: 0o600 })
  renameSync(partial, file)
}

/**
 * The state in a private file, or a fresh one; `save` writes it atomically.
 *
 * @throws Error if the file is invalid
 */
export function keepState<State>(file: string, shape: z.ZodType<State>, fresh: () => State) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const state = existsSync(file) ? shape.parse(JSON.parse(readFileSync(file, 'utf8'))) : fresh()
  return { state, save: () => writeAtomically(file, JSON.stringify(state)) }
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
    mkdirSync(dir, { recursive: true })
    accessSync(`${dir}/.`, constants.W_OK)
  } catch (error) {
    throw new Error(`the data folder cannot be used; set LOCAL_DIR to another one: ${messageOf(error)}`)
  }
  return dir
}
