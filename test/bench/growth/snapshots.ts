import { connect } from '../../../src/db/client.ts'
import type { Env } from '../../../src/env.ts'
import { snapshotPage } from '../../../src/jobs/snapshots.ts'
import { DAY_MS } from '../../../src/lib/time.ts'
import { agentId } from '../../support/population.ts'

const PAGE = 500
const ROUNDS = 40
const TIMEOUT_MS = 60_000

/** Medians of a page of a day's snapshots. */
export interface Pages {
  small_ms: number
  large_ms: number
  ratio: number
}

/**
 * Scores the same agents of each database day by day, one page at a time, in both databases alternately.
 *
 * @throws Error when a page does not write exactly 500 agents
 */
export async function measurePages(
  small: Record<string, string>,
  smallAgents: number,
  large: Record<string, string>,
  largeAgents: number,
): Promise<Pages> {
  const times = { small: [] as number[], large: [] as number[] }
  const sides = [
    { env: small as unknown as Env, from: smallAgents - PAGE, times: times.small },
    { env: large as unknown as Env, from: Math.floor(largeAgents / 2), times: times.large },
  ]
  const began = Date.now()
  for (let day = 0; day <= ROUNDS; day++) {
    const now = new Date(began + day * DAY_MS)
    for (const { env, from, times } of day % 2 ? sides.toReversed() : sides) {
      const db = connect(env, AbortSignal.timeout(TIMEOUT_MS))
      const start = performance.now()
      const written = await snapshotPage({ env, db, now }, { from: agentId(from), until: null })
      // The first of each side warms up.
      if (day > 0) times.push(performance.now() - start)
      if (written !== PAGE) throw new Error(`a page wrote ${written} agents`)
    }
  }
  const middle = (list: number[]) => list.toSorted((a, b) => a - b)[ROUNDS / 2] ?? Number.NaN
  const [small_ms, large_ms] = [middle(times.small), middle(times.large)]
  const ratio = middle(times.large.map((ms, day) => ms / (times.small[day] ?? Number.NaN)))
  return { small_ms, large_ms, ratio }
}
