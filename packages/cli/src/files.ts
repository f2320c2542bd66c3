import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure, messageOf } from './failure.ts'

/** The text of a file; null if there is no file. */
export function findText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw new Failure(`cannot read ${path}: ${messageOf(error)}`, { cause: error })
  }
}

/** Writes a file atomically: a reader, or a crash, finds the old text or the new one. */
export function replaceFile(path: string, text: string, mode = 0o666): void {
  const fresh = `${path}.${process.pid}`
  rmSync(fresh, { force: true }) // an existing file would keep its mode
  writeFileSync(fresh, text, { mode, flush: true })
  renameSync(fresh, path)
}

/** Writes a file as JSON, and always with mode 0600. */
export function writePrivate(path: string, value: object): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    replaceFile(path, `${JSON.stringify(value, null, 2)}\n`, 0o600)
  } catch (error) {
    throw new Failure(`cannot write ${path}: ${messageOf(error)}`, { cause: error })
  }
}
