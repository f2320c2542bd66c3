import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 20

export interface Launched {
  child: ChildProcess
  isAlive(): boolean
  /** Resolves when the process exits, with the reason: `exit code 1`, `SIGKILL`, or why it could not start. */
  ended: Promise<string>
  /** The same, but only if `end` was not called. */
  lost: Promise<string>
  /** Sends a signal and waits for the exit; after `patienceMs`, kills the process group. */
  end(signal: NodeJS.Signals, patienceMs: number): Promise<void>
}

/**
 * Starts a command that does not outlive this process.
 *
 * It has its own process group, so that Ctrl-C reaches only this process, which stops the parts in order.
 *
 * @param options.lastSignal sent to its process group when this process dies, even by SIGKILL
 */
export function launch(
  command: string,
  args: string[],
  { lastSignal, ...options }: SpawnOptions & { lastSignal: 'INT' | 'TERM' | 'KILL' },
): Launched {
  const child = spawn(command, args, { ...options, detached: true })
  const watcher = child.pid === undefined ? null : watch(child.pid, lastSignal)
  let alive = child.pid !== undefined
  let ending = false
  const ended = new Promise<string>((resolve) => {
    const over = (how: string) => {
      alive = false
      watcher?.kill('SIGKILL')
      signalGroup(child, 'SIGKILL')
      resolve(how)
    }
    child.once('error', (error) => child.pid === undefined && over(error.message))
    child.once('exit', (code, signal) => over(signal ?? `exit code ${code}`))
  })
  return {
    child,
    isAlive: () => alive,
    ended,
    lost: new Promise((resolve) => ended.then((how) => ending || resolve(how))),
    async end(signal, patienceMs) {
      ending = true
      if (!alive) return
      child.kill(signal)
      const impatience = setTimeout(() => signalGroup(child, 'SIGKILL'), patienceMs)
      await ended
      clearTimeout(impatience)
    },
  }
}

/** When this process dies, even by SIGKILL, the pipe closes and the shell sends the signal. */
function watch(pid: number, signal: string): ChildProcess {
  const watcher = spawn('sh', ['-c', 'read -r _; kill -s "$0" -- "-$1"', signal, String(pid)], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watcher.on('error', () => {})
  watcher.unref()
  return watcher
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) kill(-pid, signal)
}

/** Sends a signal to a process, or to a process group given as a negative pid; ignores one that does not exist. */
export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** Waits until a condition holds, or for the timeout; returns whether it holds. */
export async function until(condition: () => boolean, timeoutMs: number): Promise<boolean> {
  for (const end = Date.now() + timeoutMs; !condition() && Date.now() < end; ) await sleep(POLL_MS)
  return condition()
}

/** The parent and command line of a process, or null; reads /proc where possible, as slim Linux images have no `ps`. */
export function inspect(pid: number): { parent: number; command: string } | null {
  try {
    if (existsSync('/proc/self/status')) {
      const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      return { parent: Number(parent), command }
    }
    const flags = ['-ww', '-o', 'ppid=,command=', '-p', String(pid)]
    const [, parent, command = ''] =
      /^\s*(\d+) (.*)/.exec(execFileSync('ps', flags, { encoding: 'utf8' })) ?? []
    return { parent: Number(parent), command }
  } catch {
    return null
  }
}
