import { describe, expect, test } from 'vitest'
import { type Explanation, evidenceOf, explain, toShare } from '../../src/trust/explain.ts'
import { RISKS, type RiskCode } from '../../src/trust/risks.ts'
import type { DailyRollup } from '../../src/trust/rollup.ts'
import { scoreAgent } from '../../src/trust/score.ts'
import { dayOfAge, emptyDay, randomRollups, seeded } from '../vectors/rollups.ts'

const TODAY = '2026-06-30'
const WEEK_SECONDS = 604_800

/** What a day of twenty good tasks adds. */
const GOOD = {
  events: 20,
  completed: 20,
  graded_count: 20,
  graded_milli: 20_000,
  latency_count: 20,
  latency_ms: 2_000,
  latency_satisfied: 20,
  latency_log_micro: 20 * 4_605_170,
}

const day = (age: number, fields: Partial<DailyRollup> = {}): DailyRollup => ({
  ...emptyDay(dayOfAge(age, TODAY)),
  ...fields,
})

/** A record without any risk: a month of good days, the newest `from` days old, with changes to the newest. */
const record = (newest: Partial<DailyRollup> = {}, every: Partial<DailyRollup> = {}, from = 0) =>
  Array.from({ length: 30 }, (_, n) => day(n + from, { ...GOOD, ...every, ...(n === 0 && newest) }))

function explained(days: DailyRollup[], platformEvents = 1): Explanation {
  const score = scoreAgent(days, TODAY)
  if (!score) throw new Error('expected a score')
  return explain(score, days, TODAY, platformEvents)
}

const risksOf = (days: DailyRollup[], platformEvents?: number) =>
  explained(days, platformEvents).risk_factors.map(({ code }) => code)

describe('the explanation', () => {
  test('of a record without risks', () => {
    expect(explained(record(), 150)).toEqual({
      provisional: false,
      weights: { reliability: 0.3, accuracy: 0.25, safety: 0.25, speed: 0.1, consistency: 0.1 },
      confidence: 1,
      evidence: { operator: 0.75, platform: 0.25 },
      risk_factors: [],
    })
  })

  test('gives the confidence with four decimals, below 1 exactly while the score is provisional', () => {
    const days = (count: number) => record().slice(0, count)
    expect(explained(days(1))).toMatchObject({ provisional: true, confidence: 0.0714 })
    expect(explained(days(13))).toMatchObject({ provisional: true, confidence: 0.9286 })
    expect(explained(days(14))).toMatchObject({ provisional: false, confidence: 1 })
    expect([0, 1 / 3, 99 / 100, 1].map(toShare)).toEqual([0, 0.3333, 0.99, 1])
  })

  test('tells risks of any record once each, in the order of the catalogue', () => {
    const random = seeded(8)
    const codes = RISKS.map(({ code }) => code)
    const seen = new Set<RiskCode>()
    for (let run = 0; run < 400; run++) {
      const days = randomRollups(random, TODAY, 1e6)
      const score = scoreAgent(days, TODAY)
      if (!score) continue
      const { risk_factors, ...rest } = explain(score, days, TODAY, run % 2)
      const told = risk_factors.map(({ code }) => code)
      expect(told).toEqual(codes.filter((code) => told.includes(code)))
      for (const { message, code } of risk_factors) {
        expect(message).toMatch(/^[a-z0-9].{8,}[^.]$/)
        expect(message).not.toMatch(/NaN|Infinity|undefined/)
        seen.add(code)
      }
      expect(rest.confidence < 1).toBe(rest.provisional)
    }
    expect(seen.size).toBeGreaterThan(10)
  })
})

describe('the evidence', () => {
  test.each([
    [0, 0, 0, 0],
    [10, 0, 1, 0],
    [10, 10, 0, 1],
    [3, 1, 0.6667, 0.3333],
    [3, 2, 0.3333, 0.6667],
    [1_000_000, 1, 1, 0],
    [20_000, 1, 0.9999, 0.0001],
  ])('of %i events, %i by a platform: operator %f, platform %f', (events, by, operator, platform) => {
    expect(evidenceOf(events, by)).toEqual({ operator, platform })
  })
})

/** Each code with a record that just has it, and one that just has not. */
const BORDERS: [RiskCode, has: DailyRollup[], hasNot: DailyRollup[]][] = [
  ['RECORD_SHORT', record().slice(0, 13), record().slice(0, 14)],
  [
    'RECORD_SHORT',
    [...record({}, { events: 3, completed: 3 }).slice(0, 30), day(40, { completed: 9 })],
    [...record({}, { events: 3, completed: 3 }).slice(0, 30), day(40, { completed: 10 })],
  ],
  ['RECORD_STALE', record({}, {}, 30), record({}, {}, 29)],
  [
    'RECORD_STALE',
    [...record({}, {}, 30), day(0, { events: 5 })],
    [...record({}, {}, 30), day(0, { failed: 1 })],
  ],
  ['RECORD_BURST', record({ completed: 201 }), record({ completed: 200 })],
  ['RECORD_BURST', record({ failed: 181 }), [day(0, { completed: 1_000_000 })]],
  [
    'RELIABILITY_DOWNTIME',
    record({ down_seconds: 30_240, up_seconds: WEEK_SECONDS - 30_240 }),
    record({ down_seconds: 30_239, up_seconds: WEEK_SECONDS - 30_239 }),
  ],
  ['RELIABILITY_DOWNTIME', record({ down_seconds: 30_240 }), record({ down_seconds: 30_239 })],
  [
    'RELIABILITY_DOWNTIME',
    record({ down_seconds: 50_000, up_seconds: 950_000 }),
    record({ down_seconds: 50_000, up_seconds: 950_001 }),
  ],
  [
    'ACCURACY_NO_EVIDENCE',
    record({}, { graded_count: 0, graded_milli: 0 }),
    record({ graded_count: 1, graded_milli: 0 }, { graded_count: 0, graded_milli: 0 }),
  ],
  [
    'ACCURACY_PARTIAL_EVIDENCE',
    record({ graded_count: 9, graded_milli: 9_000 }, { graded_count: 10, graded_milli: 10_000 }),
    record({}, { graded_count: 10, graded_milli: 10_000 }),
  ],
  [
    'ACCURACY_PARTIAL_EVIDENCE',
    record({ graded_count: 1, graded_milli: 0 }, { graded_count: 0, graded_milli: 0 }),
    record({}, { graded_count: 0, graded_milli: 0 }),
  ],
  ['SAFETY_RECENT_CRITICAL', [...record(), criticalAt(29)], [...record(), criticalAt(30)]],
  ['SAFETY_RECENT_CRITICAL', [...record(), criticalAt(29), criticalAt(80)], record()],
  ['SAFETY_PAST_CRITICAL', [...record(), criticalAt(30)], [...record(), criticalAt(29)]],
  ['SAFETY_PAST_CRITICAL', [...record(), criticalAt(89)], [...record(), criticalAt(90)]],
  ['SAFETY_PAST_CRITICAL', [...record(), criticalAt(30)], [...record(), criticalAt(30), criticalAt(0)]],
  [
    'SPEED_NO_EVIDENCE',
    record({}, { latency_count: 0, latency_satisfied: 0 }),
    record({ latency_count: 1 }, { latency_count: 0, latency_satisfied: 0 }),
  ],
  [
    'SPEED_PARTIAL_EVIDENCE',
    record({ latency_count: 9 }, { latency_count: 10 }),
    record({}, { latency_count: 10 }),
  ],
  [
    'CONSISTENCY_NO_EVIDENCE',
    [day(0, { completed: 5 }), day(1, { completed: 4 }), day(2, { completed: 4 })],
    [day(0, { completed: 5 }), day(1, { completed: 5 })],
  ],
]

/** A critical event on a day of this age, in place of what the record has there. */
function criticalAt(age: number): DailyRollup {
  return day(age, { incidents_critical: 1 })
}

/** One row a day: the last one given wins. */
const merged = (days: DailyRollup[]) => [...new Map(days.map((row) => [row.day, row])).values()]

describe('a risk factor', () => {
  test.each(BORDERS)('%s is told on its border, and not beside it', (code, has, hasNot) => {
    expect(risksOf(merged(has))).toContain(code)
    expect(risksOf(merged(hasNot))).not.toContain(code)
  })

  test('RECORD_SELF_REPORTED is told until a platform of another operator has reported', () => {
    expect(risksOf(record(), 0)).toEqual(['RECORD_SELF_REPORTED'])
    expect(risksOf(record(), 1)).toEqual([])
  })

  test.each(['reliability', 'accuracy', 'safety', 'speed', 'consistency'] as const)(
    '%s is low below 50.0, and not at 50.0',
    (dimension) => {
      const score = scoreAgent(record(), TODAY)
      if (!score) throw new Error('expected a score')
      const risksAt = (points: number) =>
        explain({ ...score, [dimension]: points }, record(), TODAY, 1).risk_factors
      const code = `${dimension.toUpperCase()}_LOW`
      expect(risksAt(49.9)).toEqual([{ code, dimension, message: '49.9 is less than the 50 of no evidence' }])
      expect(risksAt(50)).toEqual([])
    },
  )

  test('shows a flood that speaks for what nothing was known of', () => {
    const silent = { graded_count: 0, graded_milli: 0, latency_count: 0, latency_satisfied: 0 }
    const million = 1_000_000
    const flood = { completed: million, graded_count: million, graded_milli: 1000 * million }
    expect(risksOf(record({ ...flood, latency_count: million, latency_satisfied: million }, silent))).toEqual(
      ['RECORD_BURST', 'ACCURACY_PARTIAL_EVIDENCE', 'SPEED_PARTIAL_EVIDENCE'],
    )
  })

  test('every code of the catalogue is held against its border here', () => {
    const low = RISKS.map(({ code }) => code).filter((code) => code.endsWith('_LOW'))
    expect(low).toHaveLength(5)
    const shown = new Set([...BORDERS.map(([code]) => code), ...low, 'RECORD_SELF_REPORTED'])
    expect([...shown].sort()).toEqual(RISKS.map(({ code }) => code).sort())
  })

  test('says what it found', () => {
    const told = (days: DailyRollup[]) => explained(days, 1).risk_factors.map(({ message }) => message)
    expect(told(record().slice(0, 3))).toEqual([
      'points above 50 count in full from 100 tasks (60 count) on 14 days (3)',
    ])
    expect(told(merged([...record(), criticalAt(3)]))).toContain(
      'the youngest critical event is 3 days old and limits safety',
    )
    expect(told(record({ down_seconds: 500_000, up_seconds: 500_000 }))).toEqual([
      'down without a plan for 50.0 % of the known time',
    ])
  })
})
