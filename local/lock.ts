import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const SQLITE_BUSY = 5

/**
 * Makes sure that one stack at a time works in a folder.
 *
 * The lock is the system's own, taken by SQLite on an empty file: it ends with the process, however that ends.
 *
 * @returns gives the folder free
 * @throws Error when another stack has it
 */
export function claimFolder(dir: string): () => void {
  const file = new DatabaseSync(join(dir, 'stack.lock'))
  try {
    // Not EXCLUSIVE: those who only look reject it, so of many at once each could lose.
    file.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE')
  } catch (error) {
    file.close()
    if (!(error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY)) throw error
    throw new Error(
      `a stack runs in ${dir} already; end it, or start another next to it: ` +
        'PORT=8788 LOCAL_DIR=.local-2 npm run dev',
    )
  }
  return () => file.close()
}
