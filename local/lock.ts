import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const SQLITE_BUSY = 5

/**
 * Locks a folder, so that only one stack at a time uses it.
 *
 * SQLite takes a lock of the operating system on an empty file, which ends with the process, even if it is killed.
 *
 * @returns a function that releases the folder
 * @throws Error when another stack uses it
 */
export function claimFolder(dir: string): () => void {
  const file = new DatabaseSync(join(dir, 'stack.lock'))
  try {
    // Not EXCLUSIVE: readers block it, so that several stacks that start at once could all fail.
    file.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE')
  } catch (error) {
    file.close()
    if (!(error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY)) throw error
    throw new Error(
      `a stack is already running in ${dir}; stop it, or start a second one: ` +
        'PORT=8788 LOCAL_DIR=.local-2 npm run dev',
    )
  }
  return () => file.close()
}
