import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect, kill, until } from '../process.ts'

const GRACE_MS = 1_500 // the time in which a server exits on its own after its parent process died
const SHUTDOWN_MS = 10_000

/** The lines of the server's pid file, empty if there is none; the first is its pid, the eighth its state. */
export function postmasterFile(data: string): string[] {
  try {
    return readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}

/**
 * Stops a server of this folder that a killed process left running.
 *
 * @returns the pid in a stale pid file, or null
 * @throws Error when the process that started the server is still running
 */
export async function stopOrphan(data: string, say: (line: string) => void): Promise<number | null> {
  const pid = Number(postmasterFile(data)[0])
  if (!(pid > 0)) return null
  const running = () => {
    const found = inspect(pid)
    return found?.command.includes(`postgres -D ${data} `) ? found : null
  }
  const isGone = () => running() === null
  const found = running()
  if (!found) return pid
  const owner = Number(/cluster_name=owner-(\d+)/.exec(found.command)?.[1])
  if (found.parent === owner) {
    throw new Error(`${data} is in use by process ${owner}: stop that process, or set LOCAL_DIR`)
  }
  if (await until(isGone, GRACE_MS)) return null
  say(`stopping the PostgreSQL (pid ${pid}) that an earlier run left behind`)
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    kill(pid, signal)
    if (await until(isGone, SHUTDOWN_MS)) return null
  }
  throw new Error(`PostgreSQL (pid ${pid}) of ${data} does not stop`)
}
