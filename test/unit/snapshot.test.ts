import { describe, expect, test } from 'vitest'
import { printRow } from '../../scripts/recompute/account.ts'
import { SOURCES, type Source } from '../../src/db/enums.ts'
import { ROLLUP_FIELDS } from '../../src/db/rollup-fields.ts'
import { hasFallen } from '../../src/trust/alert.ts'
import { canonicalInputs, INPUT_FIELDS, readRows } from '../../src/trust/inputs.ts'
import type { Rollup } from '../../src/trust/rollup.ts'
import { type Due, type PastScore, takeSnapshot } from '../../src/trust/snapshot.ts'
import { dayOfAge, emptyRow, scoreOf } from '../vectors/rollups.ts'

const TODAY = '2027-01-01'
const YESTERDAY = '2026-12-31'
const NOW = new Date(`${TODAY}T00:00:30Z`)
const PLATFORM = 'a0000000-0000-7000-8000-000000000001'

/** A week of work with a share of failures, ending yesterday. */
function week(failed: number): Rollup[] {
  return Array.from({ length: 7 }, (_, age) => ({
    ...emptyRow(dayOfAge(age, YESTERDAY), 'independent'),
    events: 20,
    completed: 20 - failed,
    failed,
  }))
}

function past(day: string, overall: number): PastScore {
  const same = { reliability: 1, accuracy: 1, safety: 1, speed: 1, consistency: 1 }
  return { day, overall, ...same, events_considered: 1, algorithm_version: '1.0' }
}

function pastOf(rows: readonly Rollup[], day: string): PastScore {
  const { provisional, confidence, computation_window_days, ...shown } = scoreOf(rows, day)
  return { day, ...shown }
}

function dueAgent(rows: readonly Rollup[], fields: Partial<Due> = {}): Due {
  return {
    agent_id: 'b0000000-0000-7000-8000-000000000001',
    reg: 'REG-2026-0001-0042-U',
    name: 'Scout',
    platform_id: PLATFORM,
    open_outages: [],
    events: 1,
    score_revision: 0,
    deactivated: false,
    trust_level: 0,
    trust_score_overall: null,
    first_day: TODAY,
    last_day: TODAY,
    complete: true,
    newest: null,
    before: null,
    rows: rows.length === 0 ? null : rows.map(printRow).join(''),
    ...fields,
  }
}

const typesOf = (outgoing: { type: string }[]) => outgoing.map(({ type }) => type)

describe('rollup rows', () => {
  test('keep every field when printed and parsed, on every day of four years', () => {
    const counters = Object.fromEntries(ROLLUP_FIELDS.map((field, index) => [field, index + 1]))
    for (let age = 0; age < 1500; age++) {
      const source = SOURCES[age % SOURCES.length] as Source
      const row = { ...emptyRow(dayOfAge(age, TODAY), source), ...counters }
      expect(readRows(printRow(row) + printRow(row))).toEqual([row, row])
      expect(canonicalInputs([row], 1)).toBe(JSON.stringify([INPUT_FIELDS.map((field) => row[field]), 1]))
    }
  })

  test('of an unknown source are never read as those of another one', () => {
    const printed = printRow(emptyRow(TODAY, 'independent'))
    expect(() => readRows(printed.replace('i', 'x'))).toThrow('unknown source')
  })

  test('are ordered by day, then self, peer, independent, whatever their original order', () => {
    const row = (age: number, source: Source) => emptyRow(dayOfAge(age, TODAY), source)
    const rows = [row(2, 'independent'), row(0, 'self'), row(0, 'peer'), row(0, 'independent')]
    expect(canonicalInputs(rows.toReversed())).toBe(canonicalInputs(rows))
  })
})

describe('a snapshot', () => {
  test('of too little activity writes nothing, sends nothing, and ends the computation', async () => {
    const { state, history, outgoing } = await takeSnapshot(
      dueAgent([{ ...emptyRow(TODAY, 'independent'), events: 9, completed: 9 }]),
      NOW,
    )
    expect({ state, history, outgoing }).toMatchObject({
      state: { overall: null, ended: true, trust_level: 0 },
      history: [],
      outgoing: [],
    })
  })

  test('of a score that ends sends nothing and keeps the threshold level', async () => {
    const before = past('2026-10-03', 70)
    const { state, history, outgoing, alert } = await takeSnapshot(
      dueAgent([], { newest: before, before, trust_score_overall: 70, trust_level: 2 }),
      NOW,
    )
    expect(state).toMatchObject({ overall: null, ended: true, trust_level: 2 })
    expect({ history, outgoing, alert }).toEqual({ history: [], outgoing: [], alert: null })
  })

  test('of a score that begins again continues from the last reported score', async () => {
    const before = past('2026-10-03', 62)
    const { state, outgoing, alert } = await takeSnapshot(
      dueAgent(week(0), { newest: before, before, trust_level: 2 }),
      NOW,
    )
    expect(state.trust_level).toBe(2)
    expect(typesOf(outgoing)).toEqual(['trust.updated'])
    expect(outgoing[0]?.data).toMatchObject({ previous_score: 62 })
    expect(alert).toBeNull()
  })

  test('of an unchanged score writes nothing and sends nothing', async () => {
    const rows = week(1)
    const before = { ...pastOf(rows, TODAY), day: YESTERDAY }
    const { state, history, outgoing } = await takeSnapshot(
      dueAgent(rows, { newest: before, before, trust_score_overall: before.overall, trust_level: 2 }),
      NOW,
    )
    expect({ history, outgoing }).toEqual({ history: [], outgoing: [] })
    expect(state).toMatchObject({ ended: false, overall: before.overall })
  })

  test('rewrites an existing row of today, even if the score equals that of the day before', async () => {
    const rows = week(1)
    const before = { ...pastOf(rows, TODAY), day: YESTERDAY }
    const newest = { ...before, day: TODAY, overall: before.overall - 0.1 }
    const { history } = await takeSnapshot(dueAgent(rows, { newest, before }), NOW)
    expect(history).toMatchObject([{ day: TODAY, changed: false, overall: before.overall }])
  })

  test('of an agent without a platform sends no event', async () => {
    expect((await takeSnapshot(dueAgent(week(0), { platform_id: null }), NOW)).outgoing).toEqual([])
  })

  test('keeps the score if there is no day to compute', async () => {
    const { state, history, outgoing, alert } = await takeSnapshot(
      dueAgent([], { first_day: TODAY, last_day: YESTERDAY, deactivated: true, trust_score_overall: 71 }),
      NOW,
    )
    expect(state).toMatchObject({ overall: 71, ended: true })
    expect({ history, outgoing, alert }).toEqual({ history: [], outgoing: [], alert: null })
  })

  test('of a deactivated agent is the last, unless days are left for the next run', async () => {
    const of = async (complete: boolean) =>
      (await takeSnapshot(dueAgent(week(0), { deactivated: true, complete }), NOW)).state.ended
    expect([await of(true), await of(false)]).toEqual([true, false])
  })
})

describe('a trust alert', () => {
  const rows = week(6)
  const now = pastOf(rows, TODAY).overall
  const above = (points: number) => Math.round(10 * (now + points)) / 10
  const alertOf = async (fields: Partial<Due>) => (await takeSnapshot(dueAgent(rows, fields), NOW)).alert

  test('is sent at a fall of 5.0 points and not of 4.9, despite floating-point errors', () => {
    for (let tenths = 50; tenths <= 1000; tenths++) {
      expect(hasFallen(tenths / 10, (tenths - 50) / 10)).toBe(true)
      expect(hasFallen(tenths / 10, (tenths - 49) / 10)).toBe(false)
    }
  })

  test('states both scores and their days', async () => {
    const before = past(YESTERDAY, above(5))
    expect(await alertOf({ newest: before, before })).toEqual({
      agent_id: 'b0000000-0000-7000-8000-000000000001',
      title: `Trust score fell from ${above(5).toFixed(1)} to ${now.toFixed(1)}`,
      body: `Scout (REG-2026-0001-0042-U) was at ${above(5).toFixed(1)} on ${YESTERDAY}, and at ${now.toFixed(1)} on ${TODAY}.`,
    })
    const slight = past(YESTERDAY, above(4.9))
    expect(await alertOf({ newest: slight, before: slight })).toBeNull()
  })

  test('is sent for a threshold crossed downward, however small the fall, and names it', async () => {
    const before = past(YESTERDAY, above(0.3))
    const level = [40, 60, 80].filter((threshold) => now >= threshold - 1).length + 1
    const alert = await alertOf({ newest: before, before, trust_level: level })
    expect(alert?.title).toBe(`Trust score fell from ${above(0.3).toFixed(1)} to ${now.toFixed(1)}`)
    expect(alert?.body).toMatch(/ It is now below \d0\.$/)
  })

  test('compares with the day before, not with an earlier score of today', async () => {
    const before = past(YESTERDAY, above(2))
    expect(await alertOf({ newest: past(TODAY, above(9)), before })).toBeNull()
    expect(
      await alertOf({ newest: past(TODAY, above(0.1)), before: past(YESTERDAY, above(5)) }),
    ).not.toBeNull()
    // It had already fallen.
    expect(await alertOf({ newest: past(TODAY, above(1)), before: past(YESTERDAY, above(9)) })).toBeNull()
  })

  test('is sent for a fall on the day before if today is not lower', async () => {
    const before = past(dayOfAge(2, TODAY), above(9))
    const newest = past(YESTERDAY, above(9))
    const alert = await alertOf({ first_day: YESTERDAY, newest, before })
    expect(alert?.body).toContain(`was at ${above(9).toFixed(1)} on 2026-12-30`)
    expect(alert?.body).toContain(` on ${YESTERDAY}.`)
    const corrected = await alertOf({ first_day: YESTERDAY, newest: past(TODAY, above(9)), before })
    expect(corrected?.body).toContain(` on ${YESTERDAY}.`)
  })
})
