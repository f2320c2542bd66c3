import { describe, expect, test } from 'vitest'
import { SOURCES } from '../../src/db/enums.ts'
import { scoreAgent } from '../../src/trust/score.ts'
import { WINDOW_DAYS } from '../../src/trust/window.ts'
import { syncTable } from '../support/docs-table.ts'
import { areaUnderCurve, meanOf, qualityOfBest, type Ranked, rankCorrelation } from '../support/ranks.ts'
import {
  type Agent,
  ATTACKS,
  attackers,
  BAD,
  FREE_ATTACKS,
  GOOD,
  honestAgents,
  PAID_ATTACKS,
} from '../vectors/agents.ts'
import { reported } from '../vectors/attacks.ts'
import { rowsOf, seeded } from '../vectors/rollups.ts'

const TODAY = '2026-06-30'
const HONEST = 560
const DISHONEST = 240
const SEEDS = [1, 2, 3, 4, 5, 6]
const TRUSTED = 80
const OF_TEN = 10

type Scored = Agent & Ranked

/** Agents with their scores; one that has none cannot be chosen by it. */
function scored(agents: readonly Agent[]): Scored[] {
  return agents.flatMap((agent) => {
    const score = scoreAgent(agent.rows, TODAY)?.overall
    return score === undefined ? [] : [{ ...agent, score }]
  })
}

const WORLDS = SEEDS.map((seed) => {
  const random = seeded(seed)
  const honest = scored(honestAgents(random, HONEST, TODAY))
  const free = scored(attackers(random, DISHONEST, FREE_ATTACKS, TODAY))
  const all = scored(attackers(random, DISHONEST, ATTACKS, TODAY))
  const attested = honest.filter(({ kind }) => kind !== 'self')
  return {
    honest,
    withFree: [...honest, ...free],
    attestedWithFree: [...attested, ...free],
    withAll: [...honest, ...all],
  }
})
type World = (typeof WORLDS)[number]

const isGood = ({ quality }: Agent) => quality >= GOOD
const isBad = ({ quality }: Agent) => quality <= BAD
const isAttacker = ({ kind }: Agent) => [...ATTACKS].some((attack) => attack === kind)
const isTrusted = ({ score }: Scored) => score >= TRUSTED
const scoresOf = (agents: readonly Scored[]) => agents.map(({ score }) => score)

const overSeeds = (measure: (world: World) => number) => meanOf(WORLDS.map(measure))
/** AUC of good against bad. */
const separation = (agents: readonly Scored[]) =>
  areaUnderCurve(scoresOf(agents.filter(isGood)), scoresOf(agents.filter(isBad)))
const best = (agents: readonly Scored[]) => 100 * qualityOfBest(agents, OF_TEN)
const shareOf = (some: readonly unknown[], all: readonly unknown[]) =>
  all.length === 0 ? 0 : some.length / all.length
/** The share of bad ones among the scores of 80 and more. */
const badTrusted = (agents: readonly Scored[]) => {
  const trusted = agents.filter(isTrusted)
  return shareOf(trusted.filter(isBad), trusted)
}
/** The share of the attackers that reach 80. */
const attackersTrusted = (agents: readonly Scored[]) => {
  const all = agents.filter(isAttacker)
  return shareOf(all.filter(isTrusted), all)
}

/** What good agents score whose work one source alone reports, told by each in turn. */
const BY_SOURCE = Object.fromEntries(
  SOURCES.map((source) => {
    const means = WORLDS.map(({ honest }) => {
      const good = honest.filter((agent) => isGood(agent) && agent.kind !== 'mixed')
      const retold = good.map((agent) => ({ ...agent, rows: agent.rows.map((row) => ({ ...row, source })) }))
      return meanOf(scoresOf(scored(retold)))
    })
    return [source, meanOf(means)]
  }),
) as Record<(typeof SOURCES)[number], number>

/** On which day a newcomer of so many tasks a day reaches 80, of which 98 in 100 are completed: parts of a task count. */
function daysUntilTrusted(tasks: number): number {
  const day = { tasks, completed: 0.98 * tasks, quality: 0.95, satisfied: 0.9 }
  for (let to = 0; to < WINDOW_DAYS; to++) {
    const score = scoreAgent(rowsOf([reported('independent', { ...day, to })], TODAY), TODAY)
    if (score && score.overall >= TRUSTED) return to + 1
  }
  return Number.POSITIVE_INFINITY
}

const three = (value: number) => value.toFixed(3)
const one = (value: number) => value.toFixed(1)
const percent = (share: number) => `${Math.round(100 * share)} %`
const threeMeasures = (of: (world: World) => readonly Scored[]) =>
  [
    three(overSeeds((world) => separation(of(world)))),
    one(overSeeds((world) => best(of(world)))),
    percent(overSeeds((world) => badTrusted(of(world)))),
  ].join('; ')

/** What is measured, with an earlier draft and now. */
const MEASURES = [
  [
    'honest agents only: AUC; rank correlation of score and true quality',
    '0.960; 0.64',
    `${three(overSeeds(({ honest }) => separation(honest)))}; ${overSeeds(({ honest }) => rankCorrelation(honest)).toFixed(2)}`,
  ],
  [
    'with the free attacks: AUC; best of ten; bad agents among scores ≥ 80',
    '0.553; 69.3; 21 %',
    threeMeasures(({ withFree }) => withFree),
  ],
  [
    'the same, without honest agents that are only self-reported',
    '0.414; 63.9; 34 %',
    threeMeasures(({ attestedWithFree }) => attestedWithFree),
  ],
  [
    'with all nine attacks in equal parts: AUC; best of ten; attackers that reach 80',
    '0.475; 65.0; 99 %',
    [
      three(overSeeds(({ withAll }) => separation(withAll))),
      one(overSeeds(({ withAll }) => best(withAll))),
      percent(overSeeds(({ withAll }) => attackersTrusted(withAll))),
    ].join('; '),
  ],
  [
    'mean score of good agents: reports independent, peer, self',
    '84.2, 84.8, 84.1',
    [BY_SOURCE.independent, BY_SOURCE.peer, BY_SOURCE.self].map(one).join(', '),
  ],
  [
    'days until a new attested agent (98 % completed, quality 0.95) reaches 80, at 20, 5, 2, 1 tasks per day',
    '10, 15, 41, 86',
    [20, 5, 2, 1].map(daysUntilTrusted).join(', '),
  ],
] as const

describe('among 800 agents, three in ten of them attackers', () => {
  test.each(SEEDS.map((seed, index) => [seed, WORLDS[index] as World]))(
    'the score tells good from bad, and free attacks put nobody at 80 (seed %i)',
    (_, { honest, withFree, attestedWithFree, withAll }) => {
      expect(separation(honest)).toBeGreaterThan(0.9)
      expect(rankCorrelation(honest)).toBeGreaterThan(0.5)
      expect(withFree.filter(isAttacker).filter(isTrusted)).toEqual([])
      for (const agents of [honest, withFree, attestedWithFree]) {
        expect(badTrusted(agents)).toBe(0)
        expect(best(agents)).toBeGreaterThan(90)
      }
      // Self-reports say no more than "unattested", so among all it tells less.
      expect(separation(withFree)).toBeGreaterThan(0.7)
      expect(separation(attestedWithFree)).toBeGreaterThan(0.9)
      const paid = new Set<string>(PAID_ATTACKS)
      expect(
        withAll.filter((agent) => isAttacker(agent) && isTrusted(agent) && !paid.has(agent.kind)),
      ).toEqual([])
      expect(attackersTrusted(withAll)).toBeLessThan(1 / 3)
    },
  )

  test('a peer is worth more than the own word, and less than an established platform', () => {
    expect(BY_SOURCE.self).toBeLessThan(59.1)
    expect(BY_SOURCE.peer).toBeGreaterThan(BY_SOURCE.self + 10)
    expect(BY_SOURCE.peer).toBeLessThan(77.3)
    expect(BY_SOURCE.independent).toBeGreaterThan(BY_SOURCE.peer + 10)
  })

  test('an attested newcomer of five tasks a day is trusted within ten days', () => {
    expect([20, 5].map(daysUntilTrusted).every((days) => days <= 10)).toBe(true)
    expect(daysUntilTrusted(1)).toBeLessThan(90)
  })

  test('what was measured is what the document of the score says', () => {
    const head = ['| 800 agents, 70 % honest | earlier draft | algorithm 1.0 |', '|---|--:|--:|']
    const lines = MEASURES.map((cells) => `| ${cells.join(' | ')} |`)
    const { asIs, wanted } = syncTable('trust-score.md', 'populations', [...head, ...lines].join('\n'))
    expect(asIs).toBe(wanted)
  })
})

describe('the measures', () => {
  const of = (...scores: number[]) => scores.map((score, index) => ({ score, quality: index / 10 }))

  test('are those of the textbooks', () => {
    expect(areaUnderCurve([3, 4], [1, 2])).toBe(1)
    expect(areaUnderCurve([1, 2], [2, 3])).toBe(0.125)
    expect(areaUnderCurve([5, 5], [5])).toBe(0.5)
    expect(rankCorrelation(of(1, 2, 3))).toBe(1)
    expect(rankCorrelation(of(3, 2, 1))).toBe(-1)
    expect(rankCorrelation(of(1, 3, 2, 4))).toBeCloseTo(0.8)
    // Of three agents the best of two is the best in two of three pairs, else the second.
    expect(qualityOfBest(of(1, 2, 3), 2)).toBeCloseTo((0.2 + 0.2 + 0.1) / 3)
    expect(qualityOfBest(of(7, 7, 7), 2)).toBeCloseTo(0.1)
  })
})
