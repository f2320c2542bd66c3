import { describe, expect, test } from 'vitest'
import { SOURCES } from '../../src/db/enums.ts'
import { DIMENSIONS } from '../../src/trust/dimensions.ts'
import type { Rollup } from '../../src/trust/rollup.ts'
import { scoreAgent } from '../../src/trust/score.ts'
import { climb, pick, varied } from '../support/climb.ts'
import { LONG_SEARCH } from '../support/long-search.ts'
import { type Agent, attackers, honestAgents } from '../vectors/agents.ts'
import { reported } from '../vectors/attacks.ts'
import { dayOfAge, rowsOf, type Stretch, seeded } from '../vectors/rollups.ts'

const TODAY = '2026-06-30'
const TOMORROW = dayOfAge(-1, TODAY)
const AGENTS = LONG_SEARCH ? 500 : 100
const IDLE_DAYS = Array.from({ length: 41 }, (_, later) => dayOfAge(-later, TODAY))
// How far a day without events may move the score at most: of honest agents, of agents after a betrayal, and of any
// record that a search finds. For random records see score-properties.test.ts.
const MOST = { honest: 1.8, betrayal: 0.3, any: 20 } as const
const MOST_STRETCHES = 10
const SHORT = { climbs: 1, steps: 300 }
const LONG = { climbs: 20, steps: 10_000 }

/** Failures that a platform reported leave the window, so that reports of a peer and the operator count again. */
const WORST: Stretch[] = [
  reported('independent', {
    from: 85,
    ...{ tasks: 1_000_000, completed: 50, quality: 0, satisfied: 0, slow: 1, warning: 4 },
  }),
  reported('peer', { to: 29, tasks: 20, quality: 1, satisfied: 1 }),
  reported('self', { tasks: 2_000, completed: 20, quality: 0, satisfied: 0, slow: 1 }),
]

type Random = () => number

/** Random reports of one source over some days, with every field, so that a search can vary each. */
function anyStretch(random: Random): Required<Stretch> {
  const from = Math.floor(90 * random())
  const tasks = Math.floor(pick([1, 10, 100, 1e6], random) ** random())
  const satisfied = pick([0, 1, random()], random)
  return {
    source: pick(SOURCES, random),
    from,
    to: Math.min(89, from + Math.floor(90 ** random()) - 1),
    step: pick([1, 1, 2, 7], random),
    tasks,
    completed: Math.floor(tasks * pick([0, 1, random()], random)),
    quality: pick([0, 1, random()], random),
    satisfied,
    slow: pick([0, 1 - satisfied], random),
    warning: pick([0, 0, 1, 4], random),
    critical: pick([0, 0, 0, 1], random),
    down_seconds: pick([0, 0, 86_400], random),
  }
}

/** The rows of such a record, with fields adjusted that became inconsistent by a change. */
const rowsOfRecord = (record: readonly Required<Stretch>[]) =>
  rowsOf(
    record.map((days) => ({
      ...days,
      completed: Math.min(days.tasks, days.completed),
      slow: Math.min(1 - days.satisfied, days.slow),
    })),
    TODAY,
  )

/** The difference between the scores of today and tomorrow, without new events. */
function moved(rows: readonly Rollup[]): { overall: number; dimensions: number } {
  const [is, next] = [scoreAgent(rows, TODAY), scoreAgent(rows, TOMORROW)]
  if (!is || !next) return { overall: 0, dimensions: 0 }
  const dimensions = DIMENSIONS.reduce((sum, name) => sum + Math.abs(next[name] - is[name]), 0)
  return { overall: Math.abs(next.overall - is.overall), dimensions }
}

function heightOf(record: readonly Required<Stretch>[]): number {
  const { overall, dimensions } = moved(rowsOfRecord(record))
  return overall + dimensions / 10_000
}

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
    expect(most).toBeLessThanOrEqual(MOST.honest)
    expect(most).toBeGreaterThan(1)
  })

  test('gives an agent that stops reporting after a betrayal at most 0.3 points back', () => {
    const most = mostOf(attackers(seeded(7), AGENTS / 10, ['betrayal'], TODAY))
    expect(most).toBeLessThanOrEqual(MOST.betrayal)
  })

  test('moves a record designed for it by 16.6 points', () => {
    expect(moved(rowsOf(WORST, TODAY)).overall).toBeCloseTo(16.6)
  })

  test('moves no record that a search finds by more than 20 points', async ({ annotate }) => {
    const { climbs, steps } = LONG_SEARCH ? LONG : SHORT
    const random = seeded(1)
    let worst: Required<Stretch>[] = []
    for (let count = 0; count < climbs; count++) {
      const top = climb(steps, (from) => varied(from, random, anyStretch, MOST_STRETCHES), heightOf)
      if (heightOf(top) > heightOf(worst)) worst = top
    }
    const found = moved(rowsOfRecord(worst)).overall
    await annotate(`largest change found: ${found.toFixed(1)}, by ${JSON.stringify(worst)}`)
    expect(found).toBeLessThanOrEqual(MOST.any)
    // The search is only useful if it finds more than the agents above show.
    expect(found).toBeGreaterThan(MOST.betrayal)
  })
})
