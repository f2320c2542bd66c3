import { describe, expect, test } from 'vitest'
import type { Source } from '../../src/db/enums.ts'
import { DIMENSIONS } from '../../src/trust/dimensions.ts'
import { explain } from '../../src/trust/explain.ts'
import { RISKS, type RiskCode } from '../../src/trust/risks.ts'
import { windowOf } from '../../src/trust/window.ts'
import { criticalAt, explanationOf, only, rowsOf, type Stretch, scoreOf, work } from '../vectors/rollups.ts'

const TODAY = '2026-06-30'

const record = (...stretches: Stretch[]) => rowsOf(stretches, TODAY)

const risksIn = (...stretches: Stretch[]) => explanationOf(record(...stretches), TODAY).risk_factors

const risksOf = (...stretches: Stretch[]) => risksIn(...stretches).map(({ code }) => code)

/** Work without grades or response times. */
const silent = (days: number, tasks = 20): Stretch => ({
  source: 'independent',
  from: 0,
  to: days - 1,
  tasks,
})

const SELF = work(30, 0, { source: 'self' })
const UNPROVEN = work(30, 0, { source: 'unproven' })
const PEER = work(30, 0, { source: 'peer' })
const SELF_DAY = work(1, 0, { source: 'self' })

/** Of the tasks of a source today, some are completed. */
const done = (completed: number, tasks: number, source?: Source) => only(0, { tasks, completed }, source)

/** Two shares that are exactly three standard errors apart: 21 of 21 and 28 of 42. */
const TIE = [only(0, { tasks: 21 }, 'self'), done(28, 42)]

/** Each code with a record that just reaches it, and one that just does not. */
const BOUNDARIES: [RiskCode, has: Stretch[], hasNot: Stretch[]][] = [
  // 49.94 and 50 good tasks.
  ['RECORD_SHORT', [work(10), work(1, 46)], [work(10), work(1, 45)]],
  ['RECORD_STALE', [work(30, 30)], [work(30, 29)]],
  [
    'RECORD_STALE',
    [work(30, 30), only(0, { down_seconds: 5 })],
    [work(30, 30), only(0, { tasks: 1 }, 'self')],
  ],
  ['RECORD_BURST', [work(30), only(0, { tasks: 181 })], [work(30), only(0, { tasks: 180 })]],
  ['RECORD_BURST', [work(30), only(0, { tasks: 181 }, 'self')], [only(0, { tasks: 1_000_000 })]],
  // The median of 1, 1, 20, 20 is the third: 20.
  [
    'RECORD_BURST',
    [work(2, 3), work(2, 1, { tasks: 1 }), only(0, { tasks: 201 })],
    [work(2, 3), work(2, 1, { tasks: 1 }), only(0, { tasks: 200 })],
  ],
  // Today is not among the days of the median.
  [
    'RECORD_BURST',
    [work(1, 1, { tasks: 1 }), only(0, { tasks: 11 })],
    [work(1, 1, { tasks: 1 }), only(0, { tasks: 10 })],
  ],
  ['RECORD_UNATTESTED', [SELF, criticalAt(0)], [SELF, done(0, 1, 'peer')]],
  ['RECORD_UNATTESTED', [UNPROVEN], [UNPROVEN, done(0, 1, 'peer')]],
  ['RECORD_UNPROVEN', [SELF, done(0, 1, 'unproven')], [UNPROVEN, only(0, { tasks: 1 }, 'peer')]],
  ['RECORD_PEER_ONLY', [PEER, criticalAt(0)], [PEER, only(0, { tasks: 1 })]],
  ['RECORD_PEER_ONLY', [only(0, { tasks: 1 }, 'peer'), SELF], [work(30)]],
  // 20 of 20 against u of 20: (20 − u)² · 40 > 9 (20 + u)(20 − u) · 20 for u < 12.7.
  ['RECORD_CONTRADICTED', [SELF_DAY, done(12, 20)], [SELF_DAY, done(13, 20)]],
  [
    'RECORD_CONTRADICTED',
    [SELF_DAY, done(6, 10), only(1, { tasks: 10, completed: 6 }, 'peer')],
    [work(1, 0, { source: 'self', tasks: 19 }), done(0, 20)],
  ],
  ['RECORD_CONTRADICTED', [SELF_DAY, done(0, 20)], [SELF_DAY, done(0, 19)]],
  ['RECORD_CONTRADICTED', [SELF_DAY, done(12, 20, 'unproven')], [SELF_DAY, done(13, 20, 'unproven')]],
  ['RECORD_CONTRADICTED', [...TIE, only(0, { tasks: 1 }, 'self')], TIE],
  ['RECORD_CONTRADICTED', [SELF_DAY, done(0, 20)], [done(0, 20, 'self'), work(1)]],
  // Σ (90 − a) s ≥ 86,400 · 40.95: 39,312 seconds of age 0.
  [
    'RELIABILITY_DOWNTIME',
    [work(30), only(0, { down_seconds: 39_312 })],
    [work(30), only(0, { down_seconds: 39_311 })],
  ],
  [
    'RELIABILITY_DOWNTIME',
    [work(30), only(49, { down_seconds: 86_400 })],
    [work(30), only(50, { down_seconds: 8_640_000 })],
  ],
  // The newest 70 tasks are clean but for a day of 20 tasks: 7 bad ones put the reading 1.05 lower, 6 put it 0.60 lower.
  ['RELIABILITY_RECENT', [work(89, 1), done(13, 20)], [work(89, 1), done(14, 20)]],
  [
    'RELIABILITY_RECENT',
    [work(60, 14), done(0, 5)],
    // The reading by tasks is even lower.
    [work(60, 14, { tasks: 1 }), done(0, 500)],
  ],
  [
    'RELIABILITY_RECENT',
    [work(60, 14), only(13, { tasks: 50, completed: 0 }, 'peer'), only(12, { tasks: 50, completed: 0 })],
    [work(60, 14), only(13, { tasks: 50, completed: 0 }, 'self')],
  ],
  [
    'ACCURACY_NO_EVIDENCE',
    [silent(30), only(0, { tasks: 1, completed: 0, quality: 1 })],
    [silent(30), only(0, { tasks: 1, quality: 0 }, 'self')],
  ],
  [
    'ACCURACY_PARTIAL_EVIDENCE',
    [work(10, 0, { tasks: 10 }), silent(10, 10), only(0, { tasks: 1 })],
    [work(10, 0, { tasks: 10 }), silent(10, 10), done(0, 9)],
  ],
  ['ACCURACY_PARTIAL_EVIDENCE', [silent(30), only(0, { tasks: 1, quality: 0 })], [silent(30)]],
  ['ACCURACY_UNATTESTED', [silent(30), SELF], [silent(30), SELF, only(0, { tasks: 1, quality: 0 })]],
  ['ACCURACY_UNATTESTED', [done(0, 1, 'peer'), SELF], [done(0, 1, 'unproven'), SELF]],
  [
    'ACCURACY_RECENT',
    [work(89, 1), only(0, { tasks: 13, quality: 1 }), only(0, { tasks: 7, quality: 0 })],
    [work(89, 1), only(0, { tasks: 14, quality: 1 }), only(0, { tasks: 6, quality: 0 })],
  ],
  ['SAFETY_RECENT_CRITICAL', [work(30), criticalAt(29)], [work(30), criticalAt(30)]],
  ['SAFETY_PAST_CRITICAL', [work(30), criticalAt(30)], [work(30), criticalAt(29)]],
  ['SAFETY_PAST_CRITICAL', [work(30), criticalAt(89)], [work(30), criticalAt(90)]],
  ['SAFETY_PAST_CRITICAL', [work(30), criticalAt(30)], [work(30), criticalAt(30), criticalAt(0)]],
  ['SPEED_NO_EVIDENCE', [silent(30)], [silent(30), only(0, { tasks: 1, satisfied: 0 }, 'self')]],
  [
    'SPEED_PARTIAL_EVIDENCE',
    [work(10, 0, { tasks: 10 }), silent(10, 10), only(0, { tasks: 1 })],
    [work(10, 0, { tasks: 10 }), silent(10, 10)],
  ],
  ['SPEED_UNATTESTED', [silent(30), SELF], [silent(30), SELF, only(0, { tasks: 1, satisfied: 0 }, 'peer')]],
  // 14 and 12 tolerating tasks count as 7 and 6 bad ones.
  [
    'SPEED_RECENT',
    [work(89, 1), only(0, { tasks: 20, satisfied: 0.3 })],
    [work(89, 1), only(0, { tasks: 20, satisfied: 0.4 })],
  ],
]

describe('a risk factor', () => {
  test.each(BOUNDARIES)('%s is reported at its boundary, and not just beside it', (code, has, hasNot) => {
    expect(risksOf(...has)).toContain(code)
    expect(risksOf(...hasNot)).not.toContain(code)
  })

  test('RELIABILITY_OUTAGE is reported while an outage is open that began before today', () => {
    const rows = record(work(30))
    const codesWith = (openOutages: number) =>
      explanationOf(rows, TODAY, openOutages).risk_factors.map(({ code }) => code)
    expect(codesWith(0)).toEqual([])
    expect(codesWith(1)).toEqual(['RELIABILITY_OUTAGE', 'RELIABILITY_DOWNTIME'])
    expect(codesWith(2)).toEqual(codesWith(1))
  })

  test.each(DIMENSIONS)('%s is low below 50.0, and not at 50.0', (dimension) => {
    const rows = record(work(30))
    const score = scoreOf(rows, TODAY)
    const risksAt = (points: number) =>
      explain({ ...score, [dimension]: points }, windowOf(rows, TODAY)).risk_factors
    const code = `${dimension.toUpperCase()}_LOW`
    expect(risksAt(49.9)).toEqual([
      { code, dimension, message: '49.9 is below 50, the value without evidence' },
    ])
    expect(risksAt(50)).toEqual([])
  })

  test('is tested at its boundary here, whatever its code', () => {
    const tested = new Set([
      ...BOUNDARIES.map(([code]) => code),
      'RELIABILITY_OUTAGE',
      ...DIMENSIONS.map((name) => `${name.toUpperCase()}_LOW`),
    ])
    expect([...tested].sort()).toEqual(RISKS.map(({ code }) => code).sort())
  })

  test('has a message with its figures', () => {
    const reported = (...stretches: Stretch[]) => risksIn(...stretches).map(({ message }) => message)
    expect(reported(work(3))).toEqual([
      'points above 50 count in full once there are 50 good tasks, of which at most 5 count per day; so far there are 14.8',
    ])
    // 49.9667 must not be rounded to 50.
    expect(reported(work(10), work(1, 16, { tasks: 3 }))).toEqual([
      'points above 50 count in full once there are 50 good tasks, of which at most 5 count per day; so far there are 49.9',
    ])
    expect(reported(work(30), only(0, { down_seconds: 86_400 }))).toEqual([
      'unplanned downtime is 2.2% of the time, with more weight on recent days',
    ])
    expect(reported(work(30), only(0, { tasks: 40 }, 'self'), done(0, 400))).toEqual([
      'one day has 460 tasks, the median day 20; at most 5 tasks per source and day count',
      '100.0% of the self-reported tasks are completed, but only 60.0% of the others',
    ])
    expect(reported(work(89, 1), done(13, 20))).toContain(
      'the value is 96.1 for the newest 70 tasks, without self-reports, and 97.2 for the whole window',
    )
    expect(reported(silent(30), SELF)).toContain(
      'only tasks that are not attested have grades; the 600 attested ones have none',
    )
  })
})
