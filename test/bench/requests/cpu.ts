import { readdirSync, readFileSync } from 'node:fs'

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
      const parent = Number(stat.slice(end + 2).split(' ')[1])
      return [{ pid: Number(pid), name: stat.slice(stat.indexOf('(') + 1, end), parent }]
    } catch {
      return [] // it has ended
    }
  })
}
