import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { RECORD_STANDINGS, type RecordStanding, STANDINGS } from '../../src/db/enums.ts'
import { recordStanding, STANDING_RULES, standingOf } from '../../src/trust/standing.ts'
import { windowOf } from '../../src/trust/window.ts'
import { criticalAt, only, rowsOf, type Stretch, work } from '../vectors/rollups.ts'

const TODAY = '2026-06-30'
const GOOD = { overall: 90, provisional: false }

function standingIn(score: typeof GOOD | null, ...stretches: Stretch[]): RecordStanding {
  return recordStanding(windowOf(rowsOf(stretches, TODAY), TODAY), score)
}

/** Three days with four independent tasks each. */
const threeDays = work(3, 0, { tasks: 4 })
const own = work(10, 0, { source: 'self' })

/** Each border: the standing on this side, the score and the rows, and the standing on the other side. */
const BORDERS: [
  RecordStanding,
  typeof GOOD | null,
  Stretch[],
  RecordStanding,
  typeof GOOD | null,
  Stretch[],
][] = [
  ['critical', GOOD, [threeDays, criticalAt(29)], 'established', GOOD, [threeDays, criticalAt(30)]],
  ['critical', null, [criticalAt(0)], 'unrated', null, [criticalAt(30)]],
  ['unrated', null, [own], 'self_reported', GOOD, [own]],
  ['poor', { ...GOOD, overall: 44.9 }, [own], 'self_reported', { ...GOOD, overall: 45 }, [own]],
  ['poor', { ...GOOD, overall: 44.9 }, [threeDays], 'mixed', { ...GOOD, overall: 45 }, [threeDays]],
  [
    'self_reported',
    GOOD,
    [own, { ...threeDays, tasks: 0, warning: 1 }],
    'attested',
    GOOD,
    [own, only(0, { tasks: 1 }, 'peer')],
  ],
  ['self_reported', GOOD, [own, only(90, { tasks: 1 })], 'attested', GOOD, [own, only(89, { tasks: 1 })]],
  ['mixed', { ...GOOD, overall: 59.9 }, [threeDays], 'established', { ...GOOD, overall: 60 }, [threeDays]],
  [
    'attested',
    GOOD,
    [work(3, 0, { tasks: 3 })],
    'established',
    GOOD,
    [work(3, 0, { tasks: 3 }), only(0, { tasks: 1 })],
  ],
  [
    'attested',
    GOOD,
    [work(2, 0, { tasks: 5 })],
    'established',
    GOOD,
    [work(2, 1, { tasks: 5 }), work(1, 0, { tasks: 1 })],
  ],
  ['attested', GOOD, [work(30, 0, { source: 'peer' })], 'established', GOOD, [work(30)]],
  ['attested', { ...GOOD, provisional: true }, [threeDays], 'established', GOOD, [threeDays]],
]

describe('the standing of a record', () => {
  for (const [standing, score, rows, other, otherScore, otherRows] of BORDERS)
    test(`${standing}, next to ${other}: ${STANDING_RULES[standing]}`, () => {
      expect(standingIn(score, ...rows)).toBe(standing)
      expect(standingIn(otherScore, ...otherRows)).toBe(other)
    })
})

describe('the standing of an agent', () => {
  const fine = { operator_status: 'active', status: 'active', open_critical: false } as const

  it.each(RECORD_STANDINGS)('is that of its record if nothing else applies: %s', (record) => {
    expect(standingOf({ ...fine, record })).toBe(record)
  })

  it('is the first that applies: suspended, deactivated, critical, the record', () => {
    const all = { operator_status: 'suspended', status: 'deactivated', open_critical: true } as const
    expect(standingOf({ ...all, record: 'established' })).toBe('suspended')
    expect(standingOf({ ...all, operator_status: 'active', record: 'established' })).toBe('deactivated')
    expect(standingOf({ ...fine, open_critical: true, record: 'established' })).toBe('critical')
  })
})

it('is documented with the same words', () => {
  const page = readFileSync('docs/use/verification.md', 'utf8')
  for (const name of STANDINGS) expect(page).toContain(`| \`${name}\` | ${STANDING_RULES[name]} |`)
})
