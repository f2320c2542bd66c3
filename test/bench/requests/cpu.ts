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
