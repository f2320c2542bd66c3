import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { inspect } from '../../local/process.ts'

export interface Process {
  pid: number
  parent: number
  command: string
}

/** All processes of this machine. */
export function listProcesses(): Process[] {
  const names = existsSync('/proc/self/status')
    ? readdirSync('/proc')
    : execFileSync('ps', ['-A', '-o', 'pid='], { encoding: 'utf8' }).split('\n')
  return names.map(Number).flatMap((pid) => {
    const found = pid > 0 && inspect(pid)
    return found ? [{ pid, ...found }] : []
  })
}

/** A process and all its descendants. */
export function descendantsOf(pid: number): Process[] {
  const all = listProcesses()
  const family = all.filter((one) => one.pid === pid)
  for (const { pid } of family) family.push(...all.filter((one) => one.parent === pid))
  return family
}

/** The processes that are still running. A zombie has no command, so it does not count. */
export function survivorsOf(processes: Process[]): Process[] {
  return processes.filter(({ pid, command }) => inspect(pid)?.command === command)
}
