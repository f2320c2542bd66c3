import { appendFileSync, renameSync, rmSync, statSync } from 'node:fs'

const MAX_BYTES = 8 * 1024 * 1024

const older = (file: string) => `${file}.old`

/** Removes a log and its predecessor. */
export function clearLog(file: string): void {
  for (const one of [file, older(file)]) rmSync(one, { force: true })
}

/**
 * Opens a log for appending. A full log is renamed to `….old`, in place of the previous one.
 *
 * @returns a function that appends to the log
 */
export function openLog(file: string): (piece: Buffer) => void {
  let size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  return (piece) => {
    if (size > MAX_BYTES) {
      renameSync(file, older(file))
      size = 0
    }
    appendFileSync(file, piece)
    size += piece.length
  }
}
