import { readFileSync } from 'node:fs'
import type { Plant } from '../chaos/plant.ts'
import type { Seen } from './mix.ts'

/** What the service looked like at one time. */
export interface Sample {
  worker_mib: number
  connections: number
  dead_rows: number
  live_rows: number
  requests: number
  p50_ms: number
  p99_ms: number
}

/** What may grow from the first third of a run to the last. */
const GROWTH = {
  worker_mib: { factor: 1.25, slack: 20, name: 'memory of the Worker, MiB' },
  connections: { factor: 1, slack: 5, name: 'connections of Postgres' },
  dead_rows: { factor: 2, slack: 20_000, name: 'dead rows' },
  p50_ms: { factor: 1.5, slack: 5, name: 'median of reads, ms' },
} as const satisfies Partial<Record<keyof Sample, { factor: number; slack: number; name: string }>>

export async function takeSample(plant: Plant, { latencies, requests }: Seen): Promise<Sample> {
  const [row] = await plant.sql(
    `select (select count(*)::integer from pg_stat_activity where datname = current_database()) as connections,
       sum(n_dead_tup)::integer as dead_rows, sum(n_live_tup)::integer as live_rows from pg_stat_user_tables`,
  )
  const sorted = latencies.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
  return { worker_mib: memoryOf(plant.worker.pid()), ...row, requests, p50_ms: at(0.5), p99_ms: at(0.99) }
}

/** Resident memory of a process in MiB; 0 while it is away. */
function memoryOf(pid: number | null): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

/** The median of each figure in the first and the last third of a run, and what has grown too much. */
export function judge(samples: readonly Sample[]): { lines: string[]; grown: string[] } {
  const third = Math.max(1, Math.floor(samples.length / 3))
  const [first, last] = [samples.slice(0, third), samples.slice(-third)]
  const lines: string[] = []
  const grown: string[] = []
  for (const [key, { factor, slack, name }] of Object.entries(GROWTH)) {
    const [before, after] = [first, last].map((part) => medianOf(part.map((one) => one[key as keyof Sample])))
    const isGrown = (after ?? 0) > factor * (before ?? 0) + slack
    if (isGrown) grown.push(`${name}: ${before?.toFixed(1)} → ${after?.toFixed(1)}`)
    lines.push(`| ${name} | ${before?.toFixed(1)} | ${after?.toFixed(1)} | ${factor} × and ${slack} |`)
  }
  return { lines, grown }
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
