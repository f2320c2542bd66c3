import type { Line } from './report.ts'

const REDIS_REQUESTS_MOST = 0.2
const OF_BEFORE_MOST = 0.75

/** The cost of counting the public reads of one kind of caller, over all loads. */
export interface Counting {
  name: string
  /** Requests to Redis per read: the maximum over all loads. */
  redis_requests: number
  /** Rate relative to the floor, which counts each request in Redis: geometric mean. */
  of_floor: number
  /** The same for a Worker that does not count and only sends the statements: no Worker that sends them is faster. */
  uncounted: number
  /** CPU time of the Worker per read, relative to an earlier version: geometric mean; null without one. */
  of_before: number | null
}

/**
 * Sums up the cases that measure counting.
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
      uncounted: meanOf(own.map(({ uncounted }) => uncounted ?? Number.NaN)),
      of_before: ratios.length > 0 ? meanOf(ratios) : null,
    }
  })
}

const meanOf = (ratios: readonly number[]) =>
  ratios.reduce((product, ratio) => product * ratio, 1) ** (1 / ratios.length)

/** Prints the cost of each kind of caller, with its limit. */
export function printCounting(all: readonly Counting[]): void {
  if (all.length === 0) return
  console.log(
    `\n${' '.repeat(31)}  Redis requests per read (below ${REDIS_REQUESTS_MOST})  of floor  without counting  Worker CPU time relative to before (at most ${OF_BEFORE_MOST})`,
  )
  for (const one of all) {
    const note = missesCounting(one) ? '  MISSED' : ''
    console.log(
      `${one.name.padEnd(31)} ${one.redis_requests.toFixed(3).padStart(35)} ${one.of_floor.toFixed(2).padStart(8)} ${one.uncounted.toFixed(2).padStart(17)} ${(one.of_before?.toFixed(2) ?? '').padStart(49)}${note}`,
    )
  }
}

/** Whether counting costs more than its limit. */
export function missesCounting({ redis_requests, of_before }: Counting): boolean {
  const isSlow = of_before !== null && of_before > OF_BEFORE_MOST
  return redis_requests >= REDIS_REQUESTS_MOST || isSlow
}
