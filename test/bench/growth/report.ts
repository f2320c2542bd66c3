import type { Measured } from '../requests/report.ts'
import type { Pages } from './snapshots.ts'

interface Size {
  agents: number
  events: number
}

/** One request in both databases: medians of the rounds. */
export interface GrownLine {
  name: string
  concurrency: number
  small: Measured
  large: Measured
  /** The p50 of the large database divided by that of the small one: median of the rounds. */
  ratio: number
  most: number
}

export interface GrowthReport {
  at: string
  postgres: string
  redis: string
  small: Size
  large: Size
  fill_seconds: number
  lines: GrownLine[]
  snapshot_page: Pages
}

const PAGE_MOST = 1.25

/** Prints one table. */
export function print({ small, large, postgres, redis, lines, snapshot_page: page }: GrowthReport): void {
  const size = ({ agents, events }: Size) => `${agents} agents and ${events} events`
  console.log(`\n${size(small)}, and ${size(large)}; ${postgres}; ${redis}\n`)
  console.log('p50, ms                         at once    small    large   ratio  at most   Postgres CPU ms')
  for (const { name, concurrency, ratio, most, ...line } of lines) {
    const spent = [line.small, line.large].map(({ cpu_ms }) => cpu_ms.postgres?.toFixed(2))
    row(name, String(concurrency), line.small.p50_ms, line.large.p50_ms, ratio, most, spent)
  }
  row('a snapshot page of 500 agents', '', page.small_ms, page.large_ms, page.ratio, PAGE_MOST, [])
}

function row(
  name: string,
  concurrency: string,
  small: number,
  large: number,
  ratio: number,
  most: number,
  spent: readonly (string | undefined)[],
) {
  const ms = (value: number) => value.toFixed(2).padStart(8)
  const times = `${ms(small)} ${ms(large)} ${ratio.toFixed(2).padStart(7)} ${String(most).padStart(8)}`
  const processor = spent.filter(Boolean).join(' / ').padStart(14)
  console.log(
    `${name.padEnd(31)} ${concurrency.padStart(7)} ${times} ${processor}${ratio > most ? '  MISSED' : ''}`,
  )
}

/** Whether a request takes longer than allowed in the large database. */
export function misses({ lines, snapshot_page: page }: GrowthReport): boolean {
  return page.ratio > PAGE_MOST || lines.some(({ ratio, most }) => ratio > most)
}
