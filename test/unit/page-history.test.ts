import { describe, expect, it } from 'vitest'
import { fromItsStart, historyOf } from '../../src/pages/history.ts'
import { madeRows } from '../support/agent-history.ts'
import { daysAfter } from '../support/scored.ts'

const TODAY = '2026-11-22'

describe('the history of a page', () => {
  it('has each day once, oldest first, with the tasks of all sources', () => {
    const rows = madeRows(TODAY, 200)
    const history = historyOf({ rows: rows.toReversed(), earlier: [], scores: [], now: null }, TODAY, 30)
    expect(history.map(({ day }) => day)).toEqual(
      Array.from({ length: 30 }, (_, n) => daysAfter(TODAY, n - 29)),
    )
    for (const { day, completed, failed } of history) {
      const own = rows.filter((row) => row.day === day)
      const sum = (field: 'completed' | 'failed') => own.reduce((all, row) => all + row[field], 0)
      expect([day, completed, failed]).toEqual([day, sum('completed'), sum('failed')])
    }
  })

  it('repeats a score until the next one, and ends it when too few tasks are left in the window', () => {
    const worked = daysAfter(TODAY, -95)
    const rows = madeRows(worked, 1, ['self']).map((row) => ({ ...row, completed: 12, failed: 0 }))
    const scores = [
      [worked, 51.7],
      [daysAfter(worked, 3), 51.2],
    ] as const
    const history = historyOf({ rows, earlier: [], scores, now: null }, TODAY, 365)
    const scored = history.filter(({ score }) => score !== null)
    expect(scored.map(({ score }) => score)).toEqual([...Array(3).fill(51.7), ...Array(87).fill(51.2)])
    expect(scored[0]?.day).toBe(worked)
  })

  it('counts tasks of days before its rows', () => {
    const worked = daysAfter(TODAY, -95)
    const given = { rows: [], earlier: [[worked, 12]], scores: [[worked, 51.7]], now: null } as const
    const scored = historyOf(given, TODAY, 30).filter(({ score }) => score !== null)
    expect(scored.map(({ day }) => day)).toEqual(
      Array.from({ length: 24 }, (_, n) => daysAfter(TODAY, n - 29)),
    )
  })

  it('ends with the current score', () => {
    const rows = madeRows(TODAY, 30)
    const scores = [[daysAfter(TODAY, -5), 70]] as const
    const history = historyOf({ rows, earlier: [], scores, now: 71.5 }, TODAY, 30)
    expect(history.slice(-3).map(({ score }) => score)).toEqual([70, 70, 71.5])
  })

  it('begins with the first day that has a score or a task, but shows at least a week', () => {
    const history = historyOf({ rows: madeRows(TODAY, 20), earlier: [], scores: [], now: null }, TODAY, 90)
    expect(fromItsStart(history)[0]?.day).toBe(daysAfter(TODAY, -19))
    const empty = historyOf({ rows: [], earlier: [], scores: [], now: null }, TODAY, 90)
    expect(fromItsStart(empty).map(({ day }) => day)).toEqual(
      Array.from({ length: 7 }, (_, n) => daysAfter(TODAY, n - 6)),
    )
  })
})
