import { type Counting, missesCounting, printCounting } from './counting.ts'
import type { Timed } from './load.ts'
import type { StartUp } from './startup.ts'

/**
 * One round. Per request: its requests to Redis, and its CPU time in each program, if the system reports it.
 */
export type Measured = Omit<Timed, 'requests'> & { redis_requests: number; cpu_ms: Record<string, number> }

/** Both Workers under one load: medians of the rounds. */
export interface Line {
  name: string
  concurrency: number
  ours: Measured
  /** The statements Worker. */
  statements: Measured | null
  floor: Measured
  /** The Worker of an earlier version, if requested. */
  before: Measured | null
  /** Relative to the floor, in requests per second and in p99: median of the rounds. */
  ratio: number
  p99_ratio: number
  /** Relative to that Worker, in requests per second. */
  of_statements: number | null
  /** The Worker that sends the same statements and does not count, relative to the floor, in requests per second. */
  uncounted: number | null
  events_per_second: number | null
}

export interface Report {
  at: string
  postgres: string
  redis: string
  agents: number
  events: number
  fill_seconds: number
  gzipped_bytes: number
  start_up: StartUp[]
  lines: Line[]
  verdicts: Verdict[]
  counting: Counting[]
  batch: Batch | null
}

/** The required geometric mean of the rates of a request relative to the statements Worker. */
export interface Verdict {
  name: string
  of_statements: number
  at_least: number
}

/** The maximum number of events per second in batches, and its ratio to single reports. */
export interface Batch {
  events_per_second: number
  times_single: number
}

const TIMES_SINGLE_LEAST = 25
// Source: Cloudflare's limits of a Worker: 3 MB compressed (10 MB on a paid plan), and 1 s for its start.
const KIB_MOST = 3 * 1024
const START_MS_MOST = 1_000

/** Prints one table, and the lines before and after it. */
export function print(report: Report): void {
  const { agents, events, postgres, redis, gzipped_bytes: bytes, start_up, batch } = report
  console.log(`\n${agents} agents, ${events} events; ${postgres}; ${redis}`)
  console.log(
    `bundle ${(bytes / 1024).toFixed(1)} KiB minified and gzipped, at most ${KIB_MOST}; ` +
      `from start to first response, CPU ms (elapsed ms): ${start_up.map(startLine).join(', ')}; ` +
      `${ours(start_up)?.of_floor?.toFixed(2) ?? '?'} × the floor, at most ${START_MS_MOST} ms${isSlowStart(start_up) ? '  MISSED' : ''}\n`,
  )
  console.log(
    'request                         at once    req/s     p50     p99   floor    p50     p99  of floor  of statements  p99 of floor',
  )
  for (const line of report.lines) console.log(row(line))
  console.log('\nrate relative to the statements Worker, mean of all loads   required')
  for (const { name, of_statements: ratio, at_least } of report.verdicts) {
    const note = ratio < at_least ? '  MISSED' : ''
    console.log(
      `${name.padEnd(31)} ${ratio.toFixed(2).padStart(26)} ${at_least.toFixed(2).padStart(9)}${note}`,
    )
  }
  printCounting(report.counting)
  if (batch) {
    const { events_per_second: rate, times_single: times } = batch
    const note = times < TIMES_SINGLE_LEAST ? '  MISSED' : ''
    console.log(
      `\nin batches ${rate.toFixed(0)} events/s, ${times.toFixed(1)} × single reports (at least ${TIMES_SINGLE_LEAST} ×)${note}`,
    )
  }
  const programs = [...new Set(report.lines.flatMap(({ ours }) => Object.keys(ours.cpu_ms)))]
  if (programs.length === 0) return
  console.log(
    `\nCPU ms per request, service / statements / floor\n${' '.repeat(39)}${programs.map(wide).join('')}`,
  )
  for (const { name, concurrency, ours, statements, floor } of report.lines) {
    const ms = (program: string) =>
      [ours, statements, floor]
        .flatMap((measured) => (measured ? (measured.cpu_ms[program] ?? 0).toFixed(2) : []))
        .join(' / ')
    console.log(
      `${name.padEnd(31)} ${String(concurrency).padStart(7)}${programs.map((program) => wide(ms(program))).join('')}`,
    )
  }
}

const startLine = ({ name, cpu_ms, ms }: StartUp) => `${name} ${cpu_ms?.toFixed(0) ?? '?'} (${ms.toFixed(0)})`

const ours = (start_up: readonly StartUp[]) => start_up.find(({ name }) => name === 'ours')

const isSlowStart = (start_up: readonly StartUp[]) => (ours(start_up)?.cpu_ms ?? 0) > START_MS_MOST

const wide = (text: string) => text.padStart(20)

function row(line: Line): string {
  const { name, concurrency, ours, floor, ratio, p99_ratio, of_statements, events_per_second } = line
  const ms = (value: number) => value.toFixed(1).padStart(7)
  const rate = (value: number) => value.toFixed(0).padStart(8)
  const ratios = of_statements === null ? [] : [ratio, of_statements, p99_ratio]
  const [ofFloor = '', ofStatements = '', p99 = ''] = ratios.map((one) => one.toFixed(2))
  const note = events_per_second ? `  ${events_per_second.toFixed(0)} events/s` : ''
  return `${name.padEnd(31)} ${String(concurrency).padStart(7)} ${rate(ours.requests_per_second)} ${ms(ours.p50_ms)} ${ms(ours.p99_ms)}${rate(floor.requests_per_second)}${ms(floor.p50_ms)} ${ms(floor.p99_ms)} ${ofFloor.padStart(9)} ${ofStatements.padStart(14)} ${p99.padStart(13)}${note}`
}

/** Prints how the ratios changed since an earlier report; unlike rates, they can be compared. */
export function compare(report: Report, earlier: Report): void {
  console.log(`\nratio to the floor, compared with the report of ${earlier.at}`)
  for (const line of report.lines) {
    const before = earlier.lines.find(
      ({ name, concurrency }) => name === line.name && concurrency === line.concurrency,
    )
    if (!before) continue
    const change = (100 * line.ratio) / before.ratio - 100
    console.log(
      `${line.name.padEnd(31)} ${String(line.concurrency).padStart(7)}  ${before.ratio.toFixed(2)} → ${line.ratio.toFixed(2)}  ${change >= 0 ? '+' : ''}${change.toFixed(0)} %`,
    )
  }
  const [before, now] = [earlier.batch, report.batch]
  if (before && now) {
    console.log(
      `in batches ${before.times_single.toFixed(1)} → ${now.times_single.toFixed(1)} × single reports`,
    )
  }
}

/** Whether a request misses a requirement. */
export function misses({ verdicts, counting, batch, gzipped_bytes: bytes, start_up }: Report): boolean {
  const isSlow = ({ of_statements, at_least }: Verdict) => of_statements < at_least
  const isSlowBatch = batch !== null && batch.times_single < TIMES_SINGLE_LEAST
  return (
    verdicts.some(isSlow) ||
    counting.some(missesCounting) ||
    isSlowBatch ||
    isSlowStart(start_up) ||
    bytes > KIB_MOST * 1024
  )
}

/** The geometric mean of the ratios over all loads, for each request with a requirement. */
export function verdictsOf(lines: readonly Line[], atLeast: Record<string, number>): Verdict[] {
  return Object.entries(atLeast).flatMap(([name, at_least]) => {
    const ratios = lines.flatMap((line) => (line.name === name ? (line.of_statements ?? []) : []))
    if (ratios.length === 0) return []
    const product = ratios.reduce((sum, ratio) => sum * ratio, 1)
    return { name, of_statements: product ** (1 / ratios.length), at_least }
  })
}

/** Batches compared with single reports, each at its fastest concurrency; null unless both were measured. */
export function batchOf(lines: readonly Line[]): Batch | null {
  const most = (isBatch: boolean) =>
    lines
      .filter(({ name }) => name.endsWith('/batch') === isBatch)
      .reduce((best, { events_per_second: rate }) => Math.max(best, rate ?? 0), 0)
  const [events_per_second, single] = [most(true), most(false)]
  return events_per_second > 0 && single > 0
    ? { events_per_second, times_single: events_per_second / single }
    : null
}

/** The median of the ratios of two Workers, by round. */
export function ratioOf(
  ours: readonly Measured[],
  theirs: readonly Measured[],
  figure: 'requests_per_second' | 'p99_ms',
): number {
  const ratios = ours.map((round, n) => round[figure] / (theirs[n]?.[figure] ?? Number.NaN))
  return ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? Number.NaN
}

/** The median of each value of some measurements. */
export function median(rounds: readonly Measured[]): Measured {
  const middle = (pick: (measured: Measured) => number) =>
    rounds.map(pick).toSorted((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? Number.NaN
  return {
    requests_per_second: middle((measured) => measured.requests_per_second),
    p50_ms: middle((measured) => measured.p50_ms),
    p99_ms: middle((measured) => measured.p99_ms),
    redis_requests: middle((measured) => measured.redis_requests),
    cpu_ms: Object.fromEntries(
      Object.keys(rounds[0]?.cpu_ms ?? {}).map((program) => [
        program,
        middle(({ cpu_ms }) => cpu_ms[program] ?? 0),
      ]),
    ),
  }
}
