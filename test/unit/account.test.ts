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

describe('an account rebuilt from a log', () => {
  test('ends an outage only by the side that reported it, and keeps the days in between', () => {
    const down = event(1, { event_type: 'shutdown', severity: 'critical', source: 'peer' })
    const at = (days: number) => START + days * 86_400_000
    const own = event(2, { event_type: 'startup', at_ms: at(1) })
    const open = accountOf([down, own])
    expect(open.lifecycle.others?.state).toBe('failed')
    expect(open.outages).toEqual([])
    const ended = event(3, { event_type: 'task_completed', source: 'independent', at_ms: at(2) })
    expect(accountOf([down, own, ended]).outages).toEqual([
      { is_own: false, began_on: '2026-03-03', ended_on: '2026-03-05' },
    ])
    const sooner = event(2, { event_type: 'task_completed', source: 'independent', at_ms: at(1) })
    expect(accountOf([down, sooner]).outages).toEqual([])
  })

  test('reports a gap in the sequence numbers and a time that goes backward', () => {
    const { faults } = accountOf([event(1), event(3, { at_ms: START - 1 }), event(4, { at_ms: START - 1 })])
    expect(faults).toEqual([
      { row: '2026-03-03 self', field: 'seq', stored: 3, rebuilt: 2 },
      {
        row: '2026-03-03 self',
        field: 'created_at of 3',
        stored: '2026-03-03T11:59:59.999Z',
        rebuilt: '2026-03-03T12:00:00.000Z',
      },
    ])
  })
})

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

  test('finds no difference when both agree', () => {
    expect(stored().counters).toEqual({
      events: 3,
      tasks_completed: 1,
      tasks_failed: 0,
      response_count: 1,
      response_ms: 1500,
      incident_count: 1,
      open_incident_count: 1,
      last_active_at: '2026-03-04T12:00:00.000Z',
      own_state: 'up',
      own_since: '2026-03-04T12:00:00.000Z',
      others_state: null,
      others_since: null,
    })
    expect(compare(stored(), accountOf(log))).toEqual([])
    expect(
      compare(
        { counters: countersOf(emptyAccount(), 0), open_incidents: 0, settled: null, rows: [], outages: [] },
        emptyAccount(),
      ),
    ).toEqual([])
  })

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

  test('finds missing rows, rows without events, and events without an agent', () => {
    const { rows, ...rest } = stored()
    const unexpected = asStored({ ...(rows[0] as Rollup), source: 'peer' })
    expect(compare({ ...rest, rows: [unexpected, ...rows.slice(1)] }, accountOf(log))).toEqual([
      { row: '2026-03-03 peer', field: 'row', stored: 'there', rebuilt: null },
      { row: '2026-03-03 self', field: 'row', stored: null, rebuilt: 'there' },
    ])
    expect(
      compare({ counters: null, open_incidents: 0, settled: null, rows, outages: [] }, accountOf(log)),
    ).toEqual([{ row: null, field: 'agent', stored: null, rebuilt: '3 events' }])
  })
})

test('the id after an id is the next one in the order of Postgres', () => {
  expect(following('00000000-0000-0000-0000-000000000000')).toBe('00000000-0000-0000-0000-000000000001')
  expect(following('01a1fc89-cf65-7e90-91f2-ffffffffffff')).toBe('01a1fc89-cf65-7e90-91f3-000000000000')
  expect(following('0fffffff-ffff-ffff-ffff-ffffffffffff')).toBe('10000000-0000-0000-0000-000000000000')
})
