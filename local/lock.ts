import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Makes sure that one stack at a time works in a folder; what a crashed one has left does not count.
 *
 * @returns gives the folder free
 * @throws Error that names the running stack
 */
export function claimFolder(dir: string): () => void {
  const file = join(dir, 'lock')
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
  } catch {
    const holder = Number(readFileSync(file, 'utf8'))
    if (holder !== process.pid && isStack(holder)) {
      throw new Error(
        `a stack runs in ${dir} already (process ${holder}); end it, or start another beside it: ` +
          'PORT=8788 LOCAL_DIR=.local-2 npm run dev',
      )
    }
    writeFileSync(file, String(process.pid))
  }
  return () => rmSync(file, { force: true })
}

/** Whether a process is a running stack; process numbers are used again, so its command is looked at too. */
function isStack(pid: number): boolean {
  try {
    const command = execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
    return /local\/dev\.ts|vitest/.test(command)
  } catch {
    return false
  }
}
