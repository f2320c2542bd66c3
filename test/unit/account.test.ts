import { describe, expect, test } from 'vitest'
import {
  addEvent,
  compare,
  countersOf,
  emptyAccount,
  keepUntold,
  type LedgerEvent,
} from '../../scripts/recompute/account.ts'
import { following } from '../../scripts/recompute/store.ts'
import { type Lifecycle, lifecycleStep } from '../../src/trust/lifecycle.ts'
import { eventDelta, sumDeltas } from '../../src/trust/rollup.ts'
import { seeded } from '../vectors/rollups.ts'

const START = Date.parse('2026-03-03T12:00:00Z')
const TYPES = ['startup', 'shutdown', 'shutdown', 'task_completed', 'task_failed', 'incident', 'heartbeat']
const SEVERITIES = ['info', 'warning', 'error', 'critical']
const WAITS_MS = [0, 0, 0, 1, 999, 60_000, 86_400_000, 100 * 86_400_000]

type Random = () => number
const pick = <T>(from: readonly T[], random: Random): T => from[Math.floor(random() * from.length)] as T

const event = (seq: number, fields: Partial<LedgerEvent> = {}): LedgerEvent => ({
  seq,
  at_ms: START,
  event_type: 'heartbeat',
  severity: 'info',
  metadata: {},
  may_be_evidence: false,
  added: null,
  ...fields,
})

const accountOf = (events: readonly LedgerEvent[]) => {
  const account = emptyAccount()
  for (const one of events) addEvent(account, one)
  return account
}

/** What the route adds for one batch after another. */
function asReported(batches: readonly LedgerEvent[][]) {
  let lifecycle: Lifecycle | null = null
  const days = new Map<string, Record<string, number | string>>()
  for (const batch of batches) {
    const at = batch[0]?.at_ms ?? 0
    const day = new Date(at).toISOString().slice(0, 10)
    const step = lifecycleStep(lifecycle, batch, at)
    lifecycle = step.next
    const { next, ...seconds } = step
    const row = days.get(day) ?? { day }
    const platform_events = 0
    for (const [field, amount] of Object.entries({
      ...sumDeltas(batch.map(eventDelta)),
      ...seconds,
      platform_events,
    })) {
      row[field] = Number(row[field] ?? 0) + amount
    }
    days.set(day, row)
  }
  return { lifecycle, days: [...days.values()] }
}

describe('an account of a log', () => {
  test('gives what single reports and batches gave, also where several came in one millisecond', () => {
    const random = seeded(7)
    for (let run = 0; run < 500; run++) {
      let [seq, at_ms] = [0, START]
      const batches = Array.from({ length: 12 }, () => {
        at_ms += pick(WAITS_MS, random)
        return Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
          event(++seq, {
            at_ms,
            event_type: pick(TYPES, random),
            severity: pick(SEVERITIES, random),
            metadata: random() < 0.5 ? { quality: random(), response_ms: 9_000 * random() } : {},
            may_be_evidence: random() < 0.3,
          }),
        )
      })
      const account = accountOf(batches.flat())
      const { lifecycle, days } = asReported(batches)
      expect(account.lifecycle).toEqual(lifecycle)
      expect([...account.days.values()]).toEqual(days)
      expect(account.faults).toEqual([])
    }
  })

  test('cannot tell two batches of one millisecond from one', () => {
    const random = seeded(8)
    for (let run = 0; run < 500; run++) {
      const events = Array.from({ length: 8 }, (_, n) =>
        event(n + 1, {
          at_ms: n < 2 ? START - 60_000 : START,
          event_type: pick(TYPES, random),
          severity: pick(SEVERITIES, random),
        }),
      )
      const [before, now] = [events.slice(0, 2), events.slice(2)]
      const at = Math.floor(random() * (now.length + 1))
      const split = [before, now.slice(0, at), now.slice(at)].filter(({ length }) => length > 0)
      expect(asReported(split)).toEqual(asReported([before, now]))
    }
  })

  test('puts an interval into the day on which it ends, and nothing into the one on which it began', () => {
    const late = Date.parse('2026-03-03T23:59:00Z')
    const { days } = accountOf([
      event(1, { event_type: 'startup', at_ms: late }),
      event(2, { event_type: 'shutdown', severity: 'error', at_ms: late + 120_000 }),
      event(3, { event_type: 'startup', at_ms: late + 150_000 }),
    ])
    expect(days.get('2026-03-03')).toMatchObject({ events: 1, up_seconds: 0, down_seconds: 0 })
    expect(days.get('2026-03-04')).toMatchObject({ events: 2, up_seconds: 120, down_seconds: 30 })
  })

  test('tells of a gap in the numbers and of a time that goes back', () => {
    const { faults } = accountOf([event(1), event(3, { at_ms: START - 1 }), event(4, { at_ms: START - 1 })])
    expect(faults).toEqual([
      { day: '2026-03-03', field: 'seq', stored: 3, rebuilt: 2 },
      {
        day: '2026-03-03',
        field: 'created_at of 3',
        stored: '2026-03-03T11:59:59.999Z',
        rebuilt: '2026-03-03T12:00:00.000Z',
      },
    ])
  })
})

describe('a comparison', () => {
  const log = [
    event(1, { event_type: 'startup' }),
    event(2, { event_type: 'incident', severity: 'critical' }),
    event(3, { event_type: 'task_completed', metadata: { response_ms: 1500 }, at_ms: START + 86_400_000 }),
  ]
  const stored = () => {
    const account = accountOf(log)
    return {
      counters: countersOf(account, 1),
      open_incidents: 1,
      settled: null,
      days: [...account.days.values()],
    }
  }

  test('finds nothing where what is stored is what the log gives', () => {
    expect(stored().counters).toEqual({
      events: 3,
      tasks_completed: 1,
      tasks_failed: 0,
      response_count: 1,
      response_ms: 1500,
      incident_count: 1,
      open_incident_count: 1,
      last_active_at: '2026-03-04T12:00:00.000Z',
      lifecycle_state: 'up',
      lifecycle_since: '2026-03-03T12:00:00.000Z',
    })
    expect(compare(stored(), accountOf(log))).toEqual([])
    expect(
      compare(
        { counters: countersOf(emptyAccount(), 0), open_incidents: 0, settled: null, days: [] },
        emptyAccount(),
      ),
    ).toEqual([])
  })

  test('finds every field of a row and every counter', () => {
    const fresh = stored()
    for (const [index, row] of fresh.days.entries()) {
      for (const field of Object.keys(row).filter((name) => name !== 'day')) {
        const was = (row as unknown as Record<string, number>)[field] as number
        const days = fresh.days.with(index, { ...row, [field]: was + 1 })
        expect(compare({ ...fresh, days }, accountOf(log))).toEqual([
          { day: row.day, field, stored: was + 1, rebuilt: was },
        ])
      }
    }
    for (const [field, was] of Object.entries(fresh.counters)) {
      const counters = { ...fresh.counters, [field]: null }
      expect(compare({ ...fresh, counters }, accountOf(log))).toEqual([
        { day: null, field, stored: null, rebuilt: was },
      ])
    }
    expect(compare({ ...fresh, open_incidents: 0 }, accountOf(log))).toEqual([
      { day: null, field: 'open_incident_count', stored: 1, rebuilt: 0 },
    ])
  })

  test('takes the evidence that is stored, at most of the events that may be any', () => {
    const account = accountOf(log.map((one) => ({ ...one, may_be_evidence: one.seq === 2 })))
    const { days, ...rest } = stored()
    const counted = (platform_events: number) => days.map((day) => ({ ...day, platform_events }))
    keepUntold(account, counted(1))
    expect(compare({ ...rest, days: counted(1) }, account)).toEqual([
      { day: '2026-03-04', field: 'platform_events', stored: 1, rebuilt: 0 },
    ])
    keepUntold(account, counted(2))
    expect(compare({ ...rest, days: counted(2) }, account)).toEqual([
      { day: '2026-03-03', field: 'platform_events', stored: 2, rebuilt: 1 },
      { day: '2026-03-04', field: 'platform_events', stored: 2, rebuilt: 0 },
    ])
    keepUntold(account, counted(0))
    expect(compare({ ...rest, days: counted(0) }, account)).toEqual([])
  })

  test('finds rows that are missing, rows that no event made, and events of no agent', () => {
    const { days, ...rest } = stored()
    const strange = { ...(days[0] as (typeof days)[0]), day: '2020-01-01' }
    expect(compare({ ...rest, days: [strange, ...days.slice(1)] }, accountOf(log))).toEqual([
      { day: '2020-01-01', field: 'row', stored: 'there', rebuilt: null },
      { day: '2026-03-03', field: 'row', stored: null, rebuilt: 'there' },
    ])
    expect(compare({ counters: null, open_incidents: 0, settled: null, days }, accountOf(log))).toEqual([
      { day: null, field: 'agent', stored: null, rebuilt: '3 events' },
    ])
  })
})

test('ids follow each other as Postgres orders them', () => {
  expect(following('00000000-0000-0000-0000-000000000000')).toBe('00000000-0000-0000-0000-000000000001')
  expect(following('01a1fc89-cf65-7e90-91f2-ffffffffffff')).toBe('01a1fc89-cf65-7e90-91f3-000000000000')
  expect(following('0fffffff-ffff-ffff-ffff-ffffffffffff')).toBe('10000000-0000-0000-0000-000000000000')
})
