import type { Measured } from '../../support/load/driver.ts'
import { geometricMean } from '../../support/load/figures.ts'
import type { Case } from './cases.ts'

/** A request under one load: medians of the rounds. */
export interface Line {
  name: string
  concurrency: number
  ours: Measured
  /** In requests per second, relative to an earlier version: median of the rounds. */
  of_before: number | null
  events_per_second: number | null
}

/** A figure with a limit. */
interface Verdict {
  name: string
  value: number
  limit: number
  holds: boolean
}

interface Report {
  at: string
  postgres: string
  redis: string
  agents: number
  events: number
  lines: Line[]
  verdicts: Verdict[]
}

const TIMES_SINGLE_LEAST = 25
const REDIS_REQUESTS_MOST = 0.2
const OF_BEFORE_LEAST = 0.9
// Source: Cloudflare's limits of a Worker: 3 MB compressed (10 MB on a paid plan), and 1 s for its start.
const KIB_MOST = 3 * 1024
const START_MS_MOST = 1_000

export const least = (name: string, value: number, limit: number): Verdict => ({
  ...{ name: `${name}, at least`, value, limit },
  holds: value >= limit,
})
export const most = (name: string, value: number, limit: number): Verdict => ({
  ...{ name: `${name}, at most`, value, limit },
  holds: value <= limit,
})

/**
 * Every figure that has a limit.
 *
 * @param startMs CPU time of a start; NaN if it is unknown
 */
export function verdictsOf(
  cases: readonly Case[],
  lines: readonly Line[],
  bundleBytes: number,
  startMs: number,
): Verdict[] {
  const verdicts = [most('KiB of the bundle, minified and gzipped', bundleBytes / 1024, KIB_MOST)]
  if (!Number.isNaN(startMs)) verdicts.push(most('CPU ms of a start', startMs, START_MS_MOST))
  for (const { name, isCounted } of cases) {
    const own = lines.filter((line) => line.name === name)
    const ratios = own.flatMap(({ of_before }) => of_before ?? [])
    if (ratios.length > 0)
      verdicts.push(least(`${name}: of the earlier version`, geometricMean(ratios), OF_BEFORE_LEAST))
    if (isCounted) {
      const redis = Math.max(...own.map(({ ours }) => ours.redis_requests))
      verdicts.push(most(`${name}: requests to Redis`, redis, REDIS_REQUESTS_MOST))
    }
  }
  const [batches, single] = [fastest(lines, true), fastest(lines, false)]
  if (batches && single)
    verdicts.push(least('events in batches, of single reports', batches / single, TIMES_SINGLE_LEAST))
  return verdicts
}

/** Events per second at the fastest concurrency. */
function fastest(lines: readonly Line[], isBatch: boolean): number {
  const own = lines.filter(({ name }) => name.endsWith('/batch') === isBatch)
  return Math.max(0, ...own.map(({ events_per_second: rate }) => rate ?? 0))
}

/** Prints a table of the requests, and one of the figures that have a limit; returns whether one is missed. */
export function print({ agents, events, postgres, redis, lines, verdicts }: Report): boolean {
  console.log(`\n${agents} agents, ${events} events; ${postgres}; ${redis}\n`)
  console.log('request                         at once    req/s     p50     p99  of before')
  for (const line of lines) console.log(row(line))
  console.log('')
  return printVerdicts(verdicts)
}

/** Prints a line for each; returns whether one is missed. */
export function printVerdicts(verdicts: readonly Verdict[]): boolean {
  for (const { name, value, limit, holds } of verdicts)
    console.log(`${name.padEnd(62)} ${limit}: ${value.toFixed(2)}${holds ? '' : '  MISSED'}`)
  return verdicts.some(({ holds }) => !holds)
}

function row({ name, concurrency, ours, of_before, events_per_second }: Line): string {
  const figures = [
    String(concurrency).padStart(7),
    ours.requests_per_second.toFixed(0).padStart(8),
    ...[ours.p50_ms, ours.p99_ms].map((ms) => ms.toFixed(1).padStart(7)),
    (of_before?.toFixed(2) ?? '').padStart(10),
  ]
  const note = events_per_second ? `  ${events_per_second.toFixed(0)} events/s` : ''
  return `${name.padEnd(31)} ${figures.join(' ')}${note}`
}
