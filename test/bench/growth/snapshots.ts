import { connect } from '../../../src/db/client.ts'
import type { Env } from '../../../src/env.ts'
import { snapshotPage } from '../../../src/jobs/snapshots.ts'
import { DAY_MS } from '../../../src/lib/time.ts'
import { inTurns } from '../../support/load/clients.ts'
import { middle, ratioOf, timed } from '../../support/load/figures.ts'
import { agentId } from '../../support/population.ts'

export const PAGE = 500
const TIMEOUT_MS = 60_000

/** Medians of two sides in ms, and the median of the ratios of the second to the first. */
export interface Beside {
  before: number
  now: number
  ratio: number
}

/** @param warmUp rounds that do not count */
export function besideOf(times: readonly [number[], number[]], warmUp: number): Beside {
  const [first, second] = [times[0].slice(warmUp), times[1].slice(warmUp)]
  return { before: middle(first), now: middle(second), ratio: ratioOf([first, second]) }
}

/**
 * Scores the same 500 agents of each database day by day, one page at a time, in both databases alternately.
 *
 * @throws Error when a page does not write exactly 500 agents
 */
export async function measurePages(
  rounds: number,
  ...sides: [
    { settings: Record<string, string>; from: number },
    { settings: Record<string, string>; from: number },
  ]
): Promise<Beside> {
  const began = Date.now()
  const pageOf =
    ({ settings, from }: (typeof sides)[0]) =>
    async (day: number) => {
      const env = settings as unknown as Env
      const db = connect(env, AbortSignal.timeout(TIMEOUT_MS))
      const now = new Date(began + day * DAY_MS)
      return timed(async () => {
        const written = await snapshotPage({ env, db, now }, { from: agentId(from), until: null })
        if (written !== PAGE) throw new Error(`a page wrote ${written} agents`)
      })
    }
  return besideOf(await inTurns(rounds + 1, [pageOf(sides[0]), pageOf(sides[1])]), 1)
}
