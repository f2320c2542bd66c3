import { describe, expect, test } from 'vitest'
import {
  addEvent,
  compare,
  countersOf,
  emptyAccount,
  nameOf,
  printRow,
  type ReplayedEvent,
} from '../../scripts/recompute/account.ts'
import { following } from '../../scripts/recompute/store.ts'
import { ROLLUP_FIELDS } from '../../src/db/rollup-fields.ts'
import type { Rollup } from '../../src/trust/rollup.ts'

const START = Date.parse('2026-03-03T12:00:00Z')
const event = (seq: number, fields: Partial<ReplayedEvent> = {}): ReplayedEvent => ({
  seq,
  at_ms: START,
  event_type: 'heartbeat',
  severity: 'info',
  metadata: {},
  source: 'self',
  added: null,
  ...fields,
})

const accountOf = (events: readonly ReplayedEvent[]) => {
  const account = emptyAccount()
  for (const one of events) addEvent(account, one)
  return account
}

describe('a comparison of the log with the stored counters', () => {
  const asStored = (row: Rollup) => ({ ...row, printed: printRow(row) })
  const log = [
    event(1, { event_type: 'shutdown' }),
    event(2, { event_type: 'incident', severity: 'critical' }),
    event(3, { event_type: 'task_completed', metadata: { response_ms: 1500 }, at_ms: START + 86_400_000 }),
  ]
  const stored = () => {
    const account = accountOf(log)
    return {
      counters: countersOf(account, 1),
      open_incidents: 1,
      settled: null,
      outages: account.outages,
      rows: [...account.rows.values()].map(asStored),
    }
  }

  test('finds a difference in each field of a row and each counter', () => {
    const fresh = stored()
    for (const [index, row] of fresh.rows.entries()) {
      for (const field of ROLLUP_FIELDS) {
        const was = row[field]
        const rows = fresh.rows.with(index, asStored({ ...row, [field]: was + 1 }))
        expect(compare({ ...fresh, rows }, accountOf(log))).toEqual([
          { row: nameOf(row), field, stored: was + 1, rebuilt: was },
        ])
      }
    }
    for (const [field, was] of Object.entries(fresh.counters)) {
      const counters = { ...fresh.counters, [field]: 'other' }
      expect(compare({ ...fresh, counters }, accountOf(log))).toEqual([
        { row: null, field, stored: 'other', rebuilt: was },
      ])
    }
    expect(compare({ ...fresh, open_incidents: 0 }, accountOf(log))).toEqual([
      { row: null, field: 'open_incident_count', stored: 1, rebuilt: 0 },
    ])
  })

  test('finds a row whose text form differs', () => {
    const fresh = stored()
    const rows = fresh.rows.map((row) => ({ ...row, printed: '' }))
    expect(compare({ ...fresh, rows }, accountOf(log))).toEqual(
      fresh.rows.map((row) => ({ row: nameOf(row), field: 'printed', stored: '', rebuilt: row.printed })),
    )
  })
})

test('the id after an id is the next one in the order of Postgres', () => {
  expect(following('00000000-0000-0000-0000-000000000000')).toBe('00000000-0000-0000-0000-000000000001')
  expect(following('01a1fc89-cf65-7e90-91f2-ffffffffffff')).toBe('01a1fc89-cf65-7e90-91f3-000000000000')
  expect(following('0fffffff-ffff-ffff-ffff-ffffffffffff')).toBe('10000000-0000-0000-0000-000000000000')
})
