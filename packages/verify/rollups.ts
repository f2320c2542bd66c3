import { eachField, ROLLUP_FIELDS, type RollupField } from '../../src/db/rollup-fields.ts'
import { utcDay } from '../../src/lib/time.ts'
import { type Lifecycle, lifecycleStep, type Side, sideOf } from '../../src/trust/lifecycle.ts'
import { eventDelta, type Rollup } from '../../src/trust/rollup.ts'
import type { LoggedDay } from './days.ts'
import type { OpenedEvent } from './events.ts'

/** The maximum that the metadata of a completed task can add to a row. */
const OF_METADATA: Partial<Record<RollupField, number>> = {
  graded_count: 1,
  graded_milli: 1_000,
  latency_count: 1,
  latency_satisfied: 1,
  latency_tolerating: 1,
}

/** A row as the sum of opened events. */
interface Sum extends Rollup {
  /** Completed tasks whose metadata is hidden. */
  hidden: number
  /** Whether the state of the side before was unknown, so that the downtime cannot be computed. */
  isUnsure: boolean
}

/**
 * Sums the days whose events are all open, and compares their rows. For hidden metadata of a completed task, the
 * difference that it can cause is allowed. If the state of a side before its first open event is unknown, downtime
 * until its first step up is not compared. Only days that are over are compared: if the clock of the service was ahead,
 * a day was logged too early, and is logged again after its end.
 *
 * @param opened by seq, ascending, without gaps
 * @returns how many days were compared
 *
 * Source: transparency log, How a score follows from the log, (d); trust score algorithm 1.0, rollup row
 */
export function judgeRollups(
  days: readonly LoggedDay[],
  opened: readonly OpenedEvent[],
  now: Date,
): { days: number; problems: string[] } {
  const first = opened[0]?.seq ?? 1
  const last = opened.at(-1)?.seq ?? 0
  const sums = sumUp(opened)
  const problems: string[] = []
  let [before, judged] = [0, 0]
  for (const { day, seq, rows } of days) {
    const isOpen = before + 1 >= first && seq > before && seq <= last && day < utcDay(now)
    before = seq
    if (!isOpen) continue
    judged += 1
    for (const source of new Set([...rows.map((row) => row.source), ...(sums.get(day)?.keys() ?? [])])) {
      const logged = rows.find((row) => row.source === source)
      const differing = differingField(logged, sums.get(day)?.get(source))
      if (differing) problems.push(`day ${day} ${source}: ${differing}`)
    }
  }
  return { days: judged, problems }
}

/** The sums of events by day and source. */
function sumUp(opened: readonly OpenedEvent[]): Map<string, Map<string, Sum>> {
  const sums = new Map<string, Map<string, Sum>>()
  const states: Record<Side, Lifecycle | null> = { own: null, others: null }
  const isFirst = opened[0]?.seq === 1
  const isKnown: Record<Side, boolean> = { own: isFirst, others: isFirst }
  for (const { facts, metadata } of opened) {
    const { event_type, severity, source, created_at } = facts
    const day = created_at.slice(0, 10)
    const ofDay = sums.get(day) ?? new Map<string, Sum>()
    const row = ofDay.get(source) ?? { day, source, ...eachField(() => 0), hidden: 0, isUnsure: false }
    sums.set(day, ofDay.set(source, row))
    const delta = eventDelta({ event_type, severity, metadata: metadata ?? {} })
    for (const field of ROLLUP_FIELDS) row[field] += delta[field]
    const side = sideOf(source)
    const { next, down_seconds } = lifecycleStep(
      states[side],
      [{ event_type, severity }],
      Date.parse(created_at),
    )
    row.down_seconds += down_seconds
    states[side] = next
    if (event_type === 'task_completed' && !metadata) row.hidden += 1
    if ((event_type !== 'startup' && event_type !== 'task_completed') || isKnown[side]) continue
    row.isUnsure = true
    isKnown[side] = true
  }
  return sums
}

function differingField(logged: Rollup | undefined, own: Sum | undefined): string | null {
  if (!logged) return 'the log has no row, but the day has events'
  if (!own) return 'the log has a row, but the day has no events'
  for (const field of ROLLUP_FIELDS) {
    if (field === 'down_seconds' && own.isUnsure) continue
    const most = own[field] + own.hidden * (OF_METADATA[field] ?? 0)
    if (logged[field] >= own[field] && logged[field] <= most) continue
    return `${field} is ${logged[field]} in the log, but ${own[field]} in its events`
  }
  return null
}
