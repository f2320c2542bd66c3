import { describe, expect, test } from 'vitest'
import { SOURCES } from '../../src/db/enums.ts'
import { scoreAgent } from '../../src/trust/score.ts'
import { WINDOW_DAYS } from '../../src/trust/window.ts'
import { syncTable } from '../support/docs-table.ts'
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

type Scored = Agent & { score: number }

/** Agents with their scores, without those that have none. */
function scored(agents: readonly Agent[]): Scored[] {
  return agents.flatMap((agent) => {
    const score = scoreAgent(agent.rows, TODAY)?.overall
    return score === undefined ? [] : [{ ...agent, score }]
  })
}

/** The same agent of an operator without identity check, whose platform is verified. */
function asUnproven(agent: Agent): Agent {
  const rows = agent.rows.map((row) =>
    row.source === 'self' && agent.kind === 'flooded' ? row : asSource(row),
  )
  return { ...agent, rows }
}

const asSource = (row: Agent['rows'][number]) => ({ ...row, source: 'unproven' as const })

const WORLDS = SEEDS.map((seed) => {
  const random = seeded(seed)
  const honest = scored(honestAgents(random, HONEST, TODAY))
  const free = scored(attackers(random, DISHONEST, FREE_ATTACKS, TODAY))
  const all = scored(attackers(random, DISHONEST, ATTACKS, TODAY))
  const attested = honest.filter(({ kind }) => kind !== 'self')
  return {
    honest,
    unproven: scored(honest.map(asUnproven)),
    flooded: scored(attackers(random, DISHONEST, ['flooded'], TODAY).map(asUnproven)),
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

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** How often one of the first has a higher score than one of the second, ties counted half: the area under the ROC curve. */
function areaUnderCurve(first: readonly number[], second: readonly number[]): number {
  let wins = 0
  for (const one of first) for (const other of second) wins += one > other ? 1 : one === other ? 0.5 : 0
  return wins / (first.length * second.length)
}

const goodScores = ({ unproven }: World) => scoresOf(unproven.filter(isGood))

const overSeeds = (measure: (world: World) => number) => meanOf(WORLDS.map(measure))
/** AUC of good against bad. */
const separation = (agents: readonly Scored[]) =>
  areaUnderCurve(scoresOf(agents.filter(isGood)), scoresOf(agents.filter(isBad)))
const shareOf = (some: readonly unknown[], all: readonly unknown[]) =>
  all.length === 0 ? 0 : some.length / all.length
/** The share of bad agents among those with a score of at least 80. */
const badTrusted = (agents: readonly Scored[]) => {
  const trusted = agents.filter(isTrusted)
  return shareOf(trusted.filter(isBad), trusted)
}
/** The share of attackers that reach 80. */
const attackersTrusted = (agents: readonly Scored[]) => {
  const all = agents.filter(isAttacker)
  return shareOf(all.filter(isTrusted), all)
}

/** The mean score of good agents if all their reports came from one source, for each source. */
const BY_SOURCE = Object.fromEntries(
  SOURCES.map((source) => {
    const means = WORLDS.map(({ honest }) => {
      const good = honest.filter((agent) => isGood(agent) && agent.kind !== 'mixed')
      const reattributed = good.map((agent) => ({
        ...agent,
        rows: agent.rows.map((row) => ({ ...row, source })),
      }))
      return meanOf(scoresOf(scored(reattributed)))
    })
    return [source, meanOf(means)]
  }),
) as Record<(typeof SOURCES)[number], number>

/** The day on which a new agent with this many tasks per day, 98% of them completed, reaches 80. Fractions of a task count. */
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
const percent = (share: number) => `${Math.round(100 * share)}%`
const bothMeasures = (of: (world: World) => readonly Scored[]) =>
  [
    three(overSeeds((world) => separation(of(world)))),
    percent(overSeeds((world) => badTrusted(of(world)))),
  ].join('; ')

/** Each measure, with its figures. */
const MEASURES = [
  ['honest agents only: AUC', three(overSeeds(({ honest }) => separation(honest)))],
  ['with the free attacks: AUC; bad agents among scores ≥ 80', bothMeasures(({ withFree }) => withFree)],
  [
    'the same, without honest agents that are only self-reported',
    bothMeasures(({ attestedWithFree }) => attestedWithFree),
  ],
  [
    'with all nine attacks in equal parts: AUC; attackers that reach 80',
    [
      three(overSeeds(({ withAll }) => separation(withAll))),
      percent(overSeeds(({ withAll }) => attackersTrusted(withAll))),
    ].join('; '),
  ],
  [
    'operators without identity check: verified platforms report everything, the attackers add 500 self-reports per day: AUC of good agents against attackers; mean score of each',
    [
      three(overSeeds((world) => areaUnderCurve(goodScores(world), scoresOf(world.flooded)))),
      [goodScores, ({ flooded }: World) => scoresOf(flooded)]
        .map((of) => one(overSeeds((world) => meanOf(of(world)))))
        .join(', '),
    ].join('; '),
  ],
  [
    'mean score of good agents: reports independent, peer, unproven, self',
    [BY_SOURCE.independent, BY_SOURCE.peer, BY_SOURCE.unproven, BY_SOURCE.self].map(one).join(', '),
  ],
  [
    'days until a new attested agent (98% completed, quality 0.95) reaches 80, at 20, 5, 2, 1 tasks per day',
    [20, 5, 2, 1].map(daysUntilTrusted).join(', '),
  ],
] as const

describe('a population of 800 agents, 30% of them attackers', () => {
  test.each(SEEDS.map((seed, index) => [seed, WORLDS[index] as World]))(
    'is separated into good and bad by the score, with no free attack reaching 80 (seed %i)',
    (_, { honest, withFree, attestedWithFree, withAll }) => {
      expect(separation(honest)).toBeGreaterThan(0.9)
      expect(withFree.filter(isAttacker).filter(isTrusted)).toEqual([])
      for (const agents of [honest, withFree, attestedWithFree]) expect(badTrusted(agents)).toBe(0)
      // Agents with only self-reports cannot be separated well, so the limit is lower with them.
      expect(separation(withFree)).toBeGreaterThan(0.7)
      expect(separation(attestedWithFree)).toBeGreaterThan(0.9)
      const paid = new Set<string>(PAID_ATTACKS)
      expect(
        withAll.filter((agent) => isAttacker(agent) && isTrusted(agent) && !paid.has(agent.kind)),
      ).toEqual([])
      expect(attackersTrusted(withAll)).toBeLessThan(1 / 3)
    },
  )

  test('has the figures in docs/use/trust-score.md', () => {
    const head = ['| 800 agents, 70% honest | algorithm 1.0 |', '|---|--:|']
    const lines = MEASURES.map((cells) => `| ${cells.join(' | ')} |`)
    const { asIs, wanted } = syncTable('use/trust-score.md', 'populations', [...head, ...lines].join('\n'))
    expect(asIs).toBe(wanted)
  })
})
