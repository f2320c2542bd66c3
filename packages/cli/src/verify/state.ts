import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../failure.ts'
import { findText, replaceFile } from '../files.ts'

/**
 * Reads a state file, which need not exist yet.
 *
 * @param parse returns null for another text
 * @throws Failure that names the file, if the command did not write it, or its folder does not exist
 */
export function readState<State>(
  file: string | undefined,
  parse: (text: string) => State | null,
): State | null {
  if (file === undefined) return null
  const text = findText(file)
  if (text === null) {
    if (existsSync(dirname(file))) return null
    throw new Failure(`--state ${file}: there is no folder ${dirname(file)}`)
  }
  const state = parse(text)
  if (state) return state
  throw new Failure(`--state ${file}: was not written by this command; move it away to start again`)
}

/** Writes a state file. */
export function writeState(file: string, state: object): void {
  replaceFile(file, `${JSON.stringify(state, null, 2)}\n`)
}
