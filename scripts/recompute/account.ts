import type { Source } from '../../src/db/enums.ts'
import { FAULT_FIELDS, ROLLUP_FIELDS, WORK_FIELDS } from '../../src/db/rollup-fields.ts'
import type { agent_stats } from '../../src/db/schema.ts'
import { DAY_MS, utcDay } from '../../src/lib/time.ts'
import type { ScoreBasis } from '../../src/trust/basis.ts'
import { type Lifecycle, lifecycleStep, type Side, sideOf } from '../../src/trust/lifecycle.ts'
import {
  eventDelta,
  type LoggedEvent,
  NOTHING,
  type Rollup,
  type RollupCounts,
  responseMs,
} from '../../src/trust/rollup.ts'
import { scoreWindow } from '../../src/trust/score.ts'
import { recordStanding } from '../../src/trust/standing.ts'
import { windowOf } from '../../src/trust/window.ts'
import type { StoredRow } from './store.ts'

/** The fields of an event that the sums depend on. */
export interface ReplayedEvent extends LoggedEvent {
  seq: number
  source: Source
  /** `created_at`, in ms since the epoch. */
  at_ms: number
  /** The nonzero counters that it adds, if its metadata was erased; else null. */
  added: Partial<RollupCounts & { response_ms: number }> | null
}

/** The columns of `agent_stats` that follow from the log of the agent. */
export const COUNTERS = [
  'events',
  'tasks_completed',
  'tasks_failed',
  'response_count',
  'response_ms',
  'incident_count',
  'open_incident_count',
  'last_active_at',
  'own_state',
  'own_since',
  'others_state',
  'others_since',
] as const

/** The counters of an agent; times in ISO 8601. */
export type Counters = Pick<typeof agent_stats.$inferSelect, (typeof COUNTERS)[number]>

/** The sums of the log of an agent, up to its event `seq`. */
export interface Account {
  seq: number
  at_ms: number | null
  incident_count: number
  lifecycle: Record<Side, Lifecycle | null>
  /** Ended outages with at least one day between beginning and end. */
  outages: Outage[]
  response_ms: number
  /** By day and source. */
  rows: Map<string, Rollup>
  /** Errors in the log itself, which cannot be repaired. */
  faults: Difference[]
}

/** An outage of a side of the agent, by UTC days. */
export interface Outage {
  is_own: boolean
  began_on: string
  ended_on: string
}

/** A stored value that differs from the one computed from the log. */
export interface Difference {
  /** The rollup row, as `YYYY-MM-DD` and its source; null for values of the agent. */
  row: string | null
  field: string
  stored: number | string | null
  rebuilt: number | string | null
}

export const emptyAccount = (): Account => ({
  seq: 0,
  at_ms: null,
  incident_count: 0,
  lifecycle: { own: null, others: null },
  outages: [],
  response_ms: 0,
  rows: new Map(),
  faults: [],
})

/**
 * Adds the next event of the log to an agent's account. Batches need not be known: their events have the same time, so
 * adding them one by one has the same result.
 *
 * @param account changed in place; gaps in `seq` and decreasing times are stored as faults
 */
export function addEvent(account: Account, event: ReplayedEvent): void {
  const { seq, at_ms } = event
  const row = rowOf(account, utcDay(new Date(at_ms)), event.source)
  if (seq !== account.seq + 1)
    account.faults.push({ row: nameOf(row), field: 'seq', stored: seq, rebuilt: account.seq + 1 })
  if (account.at_ms !== null && at_ms < account.at_ms) {
    const [stored, rebuilt] = [isoOf(at_ms), isoOf(account.at_ms)]
    account.faults.push({ row: nameOf(row), field: `created_at of ${seq}`, stored, rebuilt })
  }
  const delta = event.added ?? eventDelta(event)
  for (const field of ROLLUP_FIELDS) row[field] += delta[field] ?? 0
  const side = sideOf(event.source)
  const before = account.lifecycle[side]
  const { next, down_seconds } = lifecycleStep(before, [event], at_ms)
  if (before?.state === 'failed' && next !== before) addOutage(account, side, before.sinceMs, at_ms)
  row.down_seconds += down_seconds
  account.response_ms += event.added ? (event.added.response_ms ?? 0) : responseMs(event)
  if (event.event_type === 'incident') account.incident_count += 1
  account.lifecycle[side] = next
  account.seq = seq
  account.at_ms = at_ms
}

/**
 * Computes the counters of an agent from its account.
 *
 * @param open_incident_count the open incidents of the agent, which do not follow from events
 */
export function countersOf(account: Account, open_incident_count: number): Counters {
  const sum = (field: 'events' | 'completed' | 'failed' | 'latency_count') =>
    [...account.rows.values()].reduce((total, row) => total + row[field], 0)
  const { own, others } = account.lifecycle
  return {
    events: sum('events'),
    tasks_completed: sum('completed'),
    tasks_failed: sum('failed'),
    response_count: sum('latency_count'),
    response_ms: account.response_ms,
    incident_count: account.incident_count,
    open_incident_count,
    last_active_at: isoOf(account.at_ms),
    own_state: own?.state ?? null,
    own_since: isoOf(own?.sinceMs ?? null),
    others_state: others?.state ?? null,
    others_since: isoOf(others?.sinceMs ?? null),
  }
}

/** The name of a rollup row of an agent. */
export function nameOf({ day, source }: Pick<Rollup, 'day' | 'source'>): string {
  return `${day} ${source}`
}

/**
 * Compares the stored values of an agent with those computed from its log.
 *
 * @param stored `counters` is null if the agent does not exist
 */
export function compare(
  stored: {
    counters: Counters | null
    open_incidents: number
    settled: Pick<ScoreBasis, 'today' | 'score'> | null
    rows: readonly StoredRow[]
    outages: readonly Outage[]
  },
  account: Account,
): Difference[] {
  const { counters, open_incidents, settled } = stored
  const storedRows = new Map(stored.rows.map((row) => [nameOf(row), row]))
  const named = [...new Set([...storedRows.keys(), ...account.rows.keys()])].sort()
  return [
    ...account.faults,
    ...(counters
      ? differing(null, counters, countersOf(account, open_incidents))
      : [{ row: null, field: 'agent', stored: null, rebuilt: `${account.seq} events` }]),
    ...differing(
      null,
      { outages: JSON.stringify(stored.outages) },
      { outages: JSON.stringify(account.outages) },
    ),
    ...named.flatMap((name) => differing(name, storedRows.get(name), account.rows.get(name))),
    ...stored.rows.flatMap(({ printed, ...row }) =>
      differing(nameOf(row), { printed }, { printed: printRow(row) }),
    ),
    ...(settled?.score ? differing(settled.today, settled.score, scoreNumbers(account, settled.today)) : []),
  ]
}

/** A row as the text that `readRows` parses, equal to that of the trigger of the table. */
export function printRow(row: Rollup): string {
  const hasFaults = FAULT_FIELDS.some((field) => row[field] > 0)
  const counters = (hasFaults ? ROLLUP_FIELDS : WORK_FIELDS).map((field) => row[field])
  return `${Date.parse(row.day) / DAY_MS}${row.source.charAt(0)}${counters} `
}

function scoreNumbers(account: Account, today: string): object | undefined {
  const window = windowOf([...account.rows.values()], today, openOutages(account, today))
  const score = scoreWindow(window)
  if (!score) return
  const { computation_window_days, algorithm_version, provisional, confidence, ...numbers } = score
  return { ...numbers, standing: recordStanding(window, score) }
}

/** The open outages of a day: see the SQL function open_outages. */
function openOutages({ outages, lifecycle }: Account, day: string): number {
  const begins = Date.parse(day)
  const isOpen = (side: Lifecycle | null) => side?.state === 'failed' && side.sinceMs < begins
  const spanning = outages.filter(({ began_on, ended_on }) => began_on < day && ended_on > day)
  return spanning.length + Object.values(lifecycle).filter(isOpen).length
}

function addOutage(account: Account, side: Side, sinceMs: number, endMs: number): void {
  const [began_on, ended_on] = [utcDay(new Date(sinceMs)), utcDay(new Date(endMs))]
  if (Date.parse(ended_on) - Date.parse(began_on) > DAY_MS)
    account.outages.push({ is_own: side === 'own', began_on, ended_on })
}

function differing(row: string | null, stored?: object, rebuilt?: object): Difference[] {
  if (!stored) return [{ row, field: 'row', stored: null, rebuilt: 'there' }]
  if (!rebuilt) return [{ row, field: 'row', stored: 'there', rebuilt: null }]
  const had = new Map<string, number | string | null>(Object.entries(stored))
  return Object.entries(rebuilt).flatMap(([field, value]) => {
    const before = had.get(field) ?? null
    return before === value ? [] : [{ row, field, stored: before, rebuilt: value }]
  })
}

function rowOf({ rows }: Account, day: string, source: Source): Rollup {
  const row = { day, source, ...NOTHING }
  const known = rows.get(nameOf(row))
  if (known) return known
  rows.set(nameOf(row), row)
  return row
}

function isoOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
