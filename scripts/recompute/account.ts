import { eachField, ROLLUP_FIELDS } from '../../src/db/rollup-fields.ts'
import { utcDay } from '../../src/lib/time.ts'
import type { Evidence } from '../../src/trust/evidence.ts'
import { type Lifecycle, lifecycleStep } from '../../src/trust/lifecycle.ts'
import { type DailyRollup, eventDelta, type LoggedEvent, type RollupCounts } from '../../src/trust/rollup.ts'
import { scoreAgent } from '../../src/trust/score.ts'

/** An event of the log, as far as anything that is summed up depends on it. */
export interface LedgerEvent extends LoggedEvent {
  seq: number
  /** Whether it may be evidence: a platform of another operator has reported it, or none can tell since the agent has moved. */
  may_be_evidence: boolean
  /** `created_at`, in ms since the epoch. */
  at_ms: number
  /** What it adds, counters of 0 left out, where its metadata were erased. */
  added: Partial<RollupCounts> | null
}

/** A stored rollup row without its agent. */
export type LedgerDay = DailyRollup & { platform_events: number }

/** The counters of an agent that its log determines; times in ISO 8601. */
export interface Counters {
  events: number
  tasks_completed: number
  tasks_failed: number
  response_count: number
  response_ms: number
  incident_count: number
  open_incident_count: number
  last_active_at: string | null
  lifecycle_state: string | null
  lifecycle_since: string | null
}

/** What the log of an agent adds up to, up to its event `seq`. */
export interface Account {
  seq: number
  at_ms: number | null
  incident_count: number
  lifecycle: Lifecycle | null
  days: Map<string, LedgerDay>
  /** How many events of a day may be evidence; who had shown which document then, the log does not tell. */
  evidence_most: Map<string, number>
  /** Where the log itself is broken, which nothing can repair. */
  faults: Difference[]
}

/** Where what is stored says something else than the log. */
export interface Difference {
  /** `YYYY-MM-DD`; null for what is not of one day. */
  day: string | null
  field: string
  stored: number | string | null
  rebuilt: number | string | null
}

export const emptyAccount = (): Account => ({
  seq: 0,
  at_ms: null,
  incident_count: 0,
  lifecycle: null,
  days: new Map(),
  evidence_most: new Map(),
  faults: [],
})

/**
 * Adds the next event of the log to an agent's account. Which events came in one batch need not be known: they share
 * one time, so taken one by one they give what the batch gives, and a batch of the same millisecond adds no interval.
 *
 * @param account changed in place; a gap in `seq` and a time that goes back are kept as differences
 */
export function addEvent(account: Account, event: LedgerEvent): void {
  const { seq, at_ms } = event
  const day = dayOf(account, utcDay(new Date(at_ms)))
  if (seq !== account.seq + 1)
    account.faults.push({ day: day.day, field: 'seq', stored: seq, rebuilt: account.seq + 1 })
  if (account.at_ms !== null && at_ms < account.at_ms) {
    const [stored, rebuilt] = [isoOf(at_ms), isoOf(account.at_ms)]
    account.faults.push({ day: day.day, field: `created_at of ${seq}`, stored, rebuilt })
  }
  const delta = event.added ?? eventDelta(event)
  for (const field of ROLLUP_FIELDS) day[field] += delta[field] ?? 0
  const { next, up_seconds, down_seconds } = lifecycleStep(account.lifecycle, [event], at_ms)
  day.up_seconds += up_seconds
  day.down_seconds += down_seconds
  if (event.may_be_evidence) account.evidence_most.set(day.day, (account.evidence_most.get(day.day) ?? 0) + 1)
  if (event.event_type === 'incident') account.incident_count += 1
  account.lifecycle = next
  account.seq = seq
  account.at_ms = at_ms
}

/**
 * The counters that an account gives.
 *
 * @param open_incident_count the open incidents of the agent, which no event tells
 */
export function countersOf(account: Account, open_incident_count: number): Counters {
  const sum = (field: 'events' | 'completed' | 'failed' | 'latency_count' | 'latency_ms') =>
    [...account.days.values()].reduce((total, day) => total + day[field], 0)
  return {
    events: sum('events'),
    tasks_completed: sum('completed'),
    tasks_failed: sum('failed'),
    response_count: sum('latency_count'),
    response_ms: sum('latency_ms'),
    incident_count: account.incident_count,
    open_incident_count,
    last_active_at: isoOf(account.at_ms),
    lifecycle_state: account.lifecycle?.state ?? null,
    lifecycle_since: isoOf(account.lifecycle?.sinceMs ?? null),
  }
}

/** Takes over from the stored days what the log does not tell, as far as it allows it. */
export function keepUntold(account: Account, stored: readonly LedgerDay[]): void {
  for (const { day, platform_events } of stored) {
    const row = account.days.get(day)
    if (row) row.platform_events = Math.min(platform_events, account.evidence_most.get(day) ?? 0)
  }
}

/**
 * Compares what is stored of an agent with what its log gives; nothing differs when the list is empty.
 *
 * @param stored `counters` null when there is no such agent
 */
export function compare(
  stored: {
    counters: Counters | null
    open_incidents: number
    settled: Pick<Evidence, 'today' | 'score'> | null
    days: readonly LedgerDay[]
  },
  account: Account,
): Difference[] {
  const { counters, open_incidents, settled } = stored
  const storedDays = new Map(stored.days.map((day) => [day.day, day]))
  const named = [...new Set([...storedDays.keys(), ...account.days.keys()])].sort()
  return [
    ...account.faults,
    ...(counters
      ? differing(null, counters, countersOf(account, open_incidents))
      : [{ day: null, field: 'agent', stored: null, rebuilt: `${account.seq} events` }]),
    ...named.flatMap((day) => differing(day, storedDays.get(day), account.days.get(day))),
    ...(settled?.score ? differing(settled.today, settled.score, scoreNumbers(account, settled.today)) : []),
  ]
}

function scoreNumbers({ days }: Account, today: string): object | undefined {
  const score = scoreAgent([...days.values()], today)
  if (!score) return
  const { computation_window_days, algorithm_version, provisional, confidence, ...numbers } = score
  return numbers
}

function differing(day: string | null, stored?: object, rebuilt?: object): Difference[] {
  if (!stored) return [{ day, field: 'row', stored: null, rebuilt: 'there' }]
  if (!rebuilt) return [{ day, field: 'row', stored: 'there', rebuilt: null }]
  const had = new Map<string, number | string | null>(Object.entries(stored))
  return Object.entries(rebuilt).flatMap(([field, value]) => {
    const before = had.get(field) ?? null
    return before === value ? [] : [{ day, field, stored: before, rebuilt: value }]
  })
}

function dayOf({ days }: Account, day: string): LedgerDay {
  const known = days.get(day)
  if (known) return known
  const row = { day, ...eachField(() => 0), platform_events: 0 }
  days.set(day, row)
  return row
}

function isoOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
