import { readdirSync, readFileSync } from 'node:fs'

const TICK_MS = 10 // USER_HZ is 100 on every Linux that Node runs on

/** Programs by the names of their processes; others are not reported. */
const PROGRAMS: Record<string, string> = {
  workerd: 'worker',
  postgres: 'postgres',
  'redis-server': 'redis',
  MainThread: 'load driver',
  node: 'load driver',
}

/**
 * CPU time in milliseconds that this process (the stand-ins' HTTP) and those it has started have used, by
 * program; empty where there is no /proc.
 */
export function processorTimes(): Record<string, number> {
  const times: Record<string, number> = {}
  for (const { pid, name, ticks } of ourProcesses()) {
    const program = pid === process.pid ? 'stand-ins' : PROGRAMS[name]
    if (program) times[program] = (times[program] ?? 0) + ticks * TICK_MS
  }
  return times
}

/** CPU time in milliseconds that all threads of a process have used; NaN where there is no /proc. */
export function processorMsOf(pid: number): number {
  const threads = `/proc/${pid}/task`
  try {
    const nanoseconds = readdirSync(threads).map((thread) =>
      Number(readFileSync(`${threads}/${thread}/schedstat`, 'utf8').split(' ')[0]),
    )
    return nanoseconds.reduce((sum, spent) => sum + spent, 0) / 1e6
  } catch {
    return Number.NaN
  }
}

/** The processes of this name that this process has started, directly or not. */
export function pidsOf(name: string): number[] {
  return ourProcesses().flatMap((one) => (one.name === name ? [one.pid] : []))
}

function ourProcesses() {
  const processes = readProcesses()
  const ours = new Set([process.pid])
  for (let size = 0; size < ours.size; ) {
    size = ours.size
    for (const { pid, parent } of processes) if (ours.has(parent)) ours.add(pid)
  }
  return processes.filter(({ pid }) => ours.has(pid))
}

function readProcesses() {
  let pids: string[]
  try {
    pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))
  } catch {
    return []
  }
  return pids.flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const end = stat.lastIndexOf(')')
      const fields = stat.slice(end + 2).split(' ')
      // Fields 14 and 15 of proc_pid_stat(5), and those of children that have ended.
      const ticks = [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0)
      return [
        { pid: Number(pid), name: stat.slice(stat.indexOf('(') + 1, end), parent: Number(fields[1]), ticks },
      ]
    } catch {
      return [] // it has ended
    }
  })
}
