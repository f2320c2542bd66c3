import type { Beside } from './snapshots.ts'

interface Size {
  agents: number
  events: number
}

/** One request in both databases: medians of p50. */
export interface GrownLine extends Beside {
  name: string
  concurrency: number | null
  /** The allowed ratio. */
  most: number
}

interface GrowthReport {
  at: string
  postgres: string
  redis: string
  small: Size
  large: Size
  lines: GrownLine[]
}

/** Prints one table; returns whether a request takes longer than allowed in the large database. */
export function print({ small, large, postgres, redis, lines }: GrowthReport): boolean {
  const size = ({ agents, events }: Size) => `${agents} agents and ${events} events`
  const ms = (value: number) => value.toFixed(2).padStart(8)
  console.log(`\n${size(small)}, and ${size(large)}; ${postgres}; ${redis}\n`)
  console.log('p50, ms                         at once    small    large   ratio  at most')
  for (const { name, concurrency, before, now, ratio, most } of lines) {
    const head = `${name.padEnd(31)} ${String(concurrency ?? '').padStart(7)}`
    const limit = `${ratio.toFixed(2).padStart(7)} ${String(most).padStart(8)}`
    console.log(`${head} ${ms(before)} ${ms(now)} ${limit}${ratio > most ? '  MISSED' : ''}`)
  }
  return lines.some(({ ratio, most }) => ratio > most)
}
