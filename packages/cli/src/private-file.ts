import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure, messageOf } from './failure.ts'

/** The JSON in a file; undefined if there is no file, null if it is not JSON, whose text no error may contain. */
export function readPrivate(path: string): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new Failure(`cannot read ${path}: ${messageOf(error)}`, { cause: error })
  }
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Writes a file as JSON, atomically, and always with mode 0600. */
export function writePrivate(path: string, value: object): void {
  const fresh = `${path}.${process.pid}`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(fresh, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
    chmodSync(fresh, 0o600) // an existing file would keep its mode
    renameSync(fresh, path)
  } catch (error) {
    throw new Failure(`cannot write ${path}: ${messageOf(error)}`, { cause: error })
  }
}
