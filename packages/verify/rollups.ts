import { ROLLUP_FIELDS, type RollupField } from '../../src/db/rollup-fields.ts'
import { utcDay } from '../../src/lib/time.ts'
import { type Lifecycle, lifecycleStep, type Side, sideOf } from '../../src/trust/lifecycle.ts'
import { eventDelta, NOTHING, type Rollup } from '../../src/trust/rollup.ts'
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

/** The sides of an agent after a day with events. */
interface Sides {
  states: Record<Side, Lifecycle | null>
  isKnown: Record<Side, boolean>
}

/**
 * Sums the days whose events are all open, and compares their rows and open outages. For hidden metadata of a completed
 * task, the difference that it can cause is allowed. If the state of a side before its first open event is unknown,
 * downtime until its first step up is not compared, and its outage may be open or not. Only days that are over are
 * compared: if the clock of the service was ahead, a day was logged too early, and is logged again after its end.
 *
 * @param opened by seq, ascending, without gaps
 * @returns how many days were compared
 *
 * Source: docs/use/transparency.md, "What is checked", 7; trust score algorithm 1.0, rollup row
 */
export function judgeRollups(
  days: readonly LoggedDay[],
  opened: readonly OpenedEvent[],
  now: Date,
): { days: number; problems: string[] } {
  const first = opened[0]?.seq ?? 1
  const last = opened.at(-1)?.seq ?? 0
  const { sums, sides } = sumUp(opened)
  const problems: string[] = []
  let [before, judged] = [0, 0]
  for (const { day, seq, rows, open_outages } of days) {
    const isOpen = before + 1 >= first && seq > before && seq <= last && day < utcDay(now)
    before = seq
    if (!isOpen) continue
    judged += 1
    const [least, most] = outagesOn(day, sides.get(day))
    if (open_outages < least || open_outages > most)
      problems.push(`day ${day}: open_outages is ${open_outages} in the log, but ${most} in its events`)
    for (const source of new Set([...rows.map((row) => row.source), ...(sums.get(day)?.keys() ?? [])])) {
      const logged = rows.find((row) => row.source === source)
      const differing = differingField(logged, sums.get(day)?.get(source))
      if (differing) problems.push(`day ${day} ${source}: ${differing}`)
    }
  }
  return { days: judged, problems }
}

/** The fewest and most sides whose outage began before a day with events, and is open at its end. */
function outagesOn(day: string, sides: Sides | undefined): [least: number, most: number] {
  let [open, unknown] = [0, 0]
  for (const side of ['own', 'others'] as const) {
    const state = sides?.states[side]
    if (!sides?.isKnown[side]) unknown += 1
    else if (state?.state === 'failed' && state.sinceMs < Date.parse(day)) open += 1
  }
  return [open, open + unknown]
}

/** The sums of events by day and source, and the sides after each day. */
function sumUp(opened: readonly OpenedEvent[]) {
  const sums = new Map<string, Map<string, Sum>>()
  const sides = new Map<string, Sides>()
  const states: Sides['states'] = { own: null, others: null }
  const isFirst = opened[0]?.seq === 1
  const isKnown: Sides['isKnown'] = { own: isFirst, others: isFirst }
  for (const { facts, metadata } of opened) {
    const { event_type, severity, source, created_at } = facts
    const day = created_at.slice(0, 10)
    const ofDay = sums.get(day) ?? new Map<string, Sum>()
    const row = ofDay.get(source) ?? { day, source, ...NOTHING, hidden: 0, isUnsure: false }
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
    if ((event_type === 'startup' || event_type === 'task_completed') && !isKnown[side]) {
      row.isUnsure = true
      isKnown[side] = true
    }
    sides.set(day, { states: { ...states }, isKnown: { ...isKnown } })
  }
  return { sums, sides }
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
