import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import type { Plant } from '../chaos/plant.ts'
import { middle } from '../support/load/figures.ts'
import type { Seen } from './mix.ts'

/** Measurements of the service at one time. */
export interface Sample {
  worker_mib: number
  connections: number
  dead_rows: number
  live_rows: number
  requests: number
  /** Number of 503 responses because a part exceeded a timeout, as on a busy machine. */
  late: number
  breaches: string[]
  p50_ms: number
  p99_ms: number
  /** Median latency of the reference statement, which reads nothing and bypasses the Worker: how busy the machine is. */
  bare_ms: number
  /** Ratio of the median latency of requests to that of the reference statement. */
  p50_bare: number
  /** Load average of the machine. */
  load: number
}

/** How much each figure may grow from the first third of a run to the last; figures without a factor are only shown. */
const GROWTH = {
  worker_mib: { factor: 1.25, slack: 20, name: 'memory of the Worker (MiB)' },
  connections: { factor: 1, slack: 5, name: 'connections of Postgres' },
  dead_rows: { factor: 2, slack: 20_000, name: 'dead rows of Postgres' },
  live_rows: { name: 'rows of Postgres' },
  p50_ms: { name: 'median latency of requests (ms)' },
  bare_ms: { name: 'median latency of the reference statement (ms)' },
  p50_bare: { factor: 1.5, slack: 1, name: 'ratio of these two latencies' },
  load: { name: 'load average of the machine' },
} as const satisfies Partial<Record<keyof Sample, { name: string; factor?: number; slack?: number }>>

export async function takeSample(
  plant: Plant,
  { latencies, bare, sent, statuses, breaches }: Seen,
): Promise<Sample> {
  const [row] = await plant.sql(
    `select (select count(*)::integer from pg_stat_activity where datname = current_database()) as connections,
       sum(n_dead_tup)::integer as dead_rows, sum(n_live_tup)::integer as live_rows from pg_stat_user_tables`,
  )
  const [p50_ms, bare_ms] = [middle(latencies) || 0, middle(bare) || 0]
  return {
    worker_mib: memoryOf(plant.worker.pid()),
    ...row,
    requests: sent,
    late: statuses[503] ?? 0,
    breaches,
    p50_ms,
    p99_ms: middle(latencies, 0.99) || 0,
    bare_ms,
    p50_bare: bare_ms > 0 ? p50_ms / bare_ms : 0,
    load: loadavg()[0] ?? 0,
  }
}

/** Resident memory of a process in MiB; 0 while it is not running. */
function memoryOf(pid: number | null): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

/**
 * The medians of each figure in the first and last third of a run, and the figures that grew too much. Other work on the
 * machine slows down every call, so latency is compared with that of the reference statement at the same time.
 */
export function judge(samples: readonly Sample[]): { lines: string[][]; grown: string[] } {
  const third = Math.max(1, Math.floor(samples.length / 3))
  const [first, last] = [samples.slice(0, third), samples.slice(-third)]
  const lines: string[][] = []
  const grown: string[] = []
  for (const [key, limit] of Object.entries(GROWTH)) {
    const of = (part: readonly Sample[]) => middle(part.map((one) => one[key as keyof typeof GROWTH]))
    const [before, after] = [of(first), of(last)]
    const isGrown = 'factor' in limit && after > limit.factor * before + limit.slack
    if (isGrown) grown.push(`${limit.name}: ${before.toFixed(1)} → ${after.toFixed(1)}`)
    const may = 'factor' in limit ? `× ${limit.factor}, plus ${limit.slack}` : ''
    lines.push([limit.name, before.toFixed(1), after.toFixed(1), may])
  }
  return { lines, grown }
}
