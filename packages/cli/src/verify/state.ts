import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure, messageOf } from '../failure.ts'
import { replaceFile } from '../files.ts'

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
  const state = naming(file, () => (existsSync(file) ? parse(readFileSync(file, 'utf8')) : undefined))
  if (state === null)
    throw new Failure(`--state ${file}: was not written by this command; move it away to start again`)
  if (state === undefined && !existsSync(dirname(file)))
    throw new Failure(`--state ${file}: there is no folder ${dirname(file)}`)
  return state ?? null
}

/** Writes a state file. */
export function writeState(file: string, state: object): void {
  naming(file, () => replaceFile(file, `${JSON.stringify(state, null, 2)}\n`))
}

function naming<Result>(file: string, work: () => Result): Result {
  try {
    return work()
  } catch (cause) {
    throw new Failure(`--state ${file}: ${messageOf(cause)}`, { cause })
  }
}
