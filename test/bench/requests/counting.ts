import type { Line } from './report.ts'

const REDIS_REQUESTS_MOST = 0.2
const OF_BEFORE_MOST = 0.75

/** Public reads of callers of one kind, over all loads: what counting them costs. */
export interface Counting {
  name: string
  /** Requests to Redis for each read: the most of all loads. */
  redis_requests: number
  /** Our rate to that of the floor, which counts each request: geometric mean. */
  of_floor: number
  /** The Worker's CPU time for a read to that of an earlier version: geometric mean; null without one. */
  of_before: number | null
}

/**
 * Sums up the reads by which counting is judged.
 *
 * @param names of those cases
 */
export function countingOf(lines: readonly Line[], names: readonly string[]): Counting[] {
  return names.flatMap((name) => {
    const own = lines.filter((line) => line.name === name)
    if (own.length === 0) return []
    const ratios = own.flatMap(({ ours, before }) => {
      const [now, then] = [ours.cpu_ms.worker, before?.cpu_ms.worker]
      return now && then ? now / then : []
    })
    return {
      name,
      redis_requests: Math.max(...own.map(({ ours }) => ours.redis_requests)),
      of_floor: meanOf(own.map(({ ratio }) => ratio)),
      of_before: ratios.length > 0 ? meanOf(ratios) : null,
    }
  })
}

const meanOf = (ratios: readonly number[]) =>
  ratios.reduce((product, ratio) => product * ratio, 1) ** (1 / ratios.length)

/** Prints what each kind of caller costs, and what it may. */
export function printCounting(all: readonly Counting[]): void {
  if (all.length === 0) return
  console.log(
    `\n${' '.repeat(31)}  Redis requests per read (below ${REDIS_REQUESTS_MOST})  of floor  Worker CPU time relative to before (at most ${OF_BEFORE_MOST})`,
  )
  for (const one of all) {
    const note = missesCounting(one) ? '  MISSED' : ''
    console.log(
      `${one.name.padEnd(31)} ${one.redis_requests.toFixed(3).padStart(35)} ${one.of_floor.toFixed(2).padStart(8)} ${(one.of_before?.toFixed(2) ?? '').padStart(49)}${note}`,
    )
  }
}

/** Whether counting costs more than it may. */
export function missesCounting({ redis_requests, of_before }: Counting): boolean {
  const isSlow = of_before !== null && of_before > OF_BEFORE_MOST
  return redis_requests >= REDIS_REQUESTS_MOST || isSlow
}
