import { describe, expect, test } from 'vitest'
import { scoreAgent } from '../../src/trust/score.ts'
import { LONG_SEARCH } from '../support/long-search.ts'
import { type Agent, honestAgents } from '../vectors/agents.ts'
import { reported } from '../vectors/attacks.ts'
import { dayOfAge, rowsOf, type Stretch, seeded } from '../vectors/rollups.ts'

const TODAY = '2026-06-30'
const TOMORROW = dayOfAge(-1, TODAY)
const AGENTS = LONG_SEARCH ? 500 : 100
const IDLE_DAYS = Array.from({ length: 41 }, (_, later) => dayOfAge(-later, TODAY))
// How far a day without events may move the score of an honest agent; for any record see score-search.test.ts.
const MOST = 1.8

/** Failures that a platform reported leave the window, so that reports of a peer and the operator count again. */
const WORST: Stretch[] = [
  reported('independent', {
    from: 85,
    ...{ tasks: 1_000_000, completed: 50, quality: 0, satisfied: 0, slow: 1, warning: 4 },
  }),
  reported('peer', { to: 29, tasks: 20, quality: 1, satisfied: 1 }),
  reported('self', { tasks: 2_000, completed: 20, quality: 0, satisfied: 0, slow: 1 }),
]

/** The largest change of any of their scores by a day without events. */
function mostOf(agents: readonly Agent[]): number {
  let most = 0
  for (const { rows } of agents) {
    let before: number | undefined
    for (const today of IDLE_DAYS) {
      const is = scoreAgent(rows, today)?.overall
      if (before !== undefined && is !== undefined) most = Math.max(most, Math.abs(is - before))
      before = is
    }
  }
  return Math.round(10 * most) / 10
}

describe('a day without events', () => {
  test('moves no honest agent by more than 1.8 points', async ({ annotate }) => {
    const most = mostOf(honestAgents(seeded(7), AGENTS, TODAY))
    await annotate(`largest change: ${most.toFixed(1)}`)
    expect(most).toBeLessThanOrEqual(MOST)
    expect(most).toBeGreaterThan(1)
  })

  test('moves a record designed for it by 16.6 points', () => {
    const rows = rowsOf(WORST, TODAY)
    const [is, next] = [TODAY, TOMORROW].map((day) => scoreAgent(rows, day)?.overall ?? 0)
    expect(Math.abs((next ?? 0) - (is ?? 0))).toBeCloseTo(16.6)
  })
})
