import type { LoggedDay } from '../../packages/verify/days.ts'
import type { RollupField } from '../../src/db/rollup-fields.ts'
import { ROLLUP_FIELDS } from '../../src/db/rollup-fields.ts'
import type { Rollup } from '../../src/trust/rollup.ts'
import { addEvent, emptyAccount, nameOf } from '../recompute/account.ts'
import type { OpenedEvent } from './openings.ts'

/** The maximum that the metadata of a completed task can add to a row. */
const OF_METADATA: Partial<Record<RollupField, number>> = {
  graded_count: 1,
  graded_milli: 1_000,
  latency_count: 1,
  latency_satisfied: 1,
  latency_tolerating: 1,
}

/**
 * Sums the days whose events are all open, and compares their rows. For hidden metadata of a completed task, the
 * difference that it can cause is allowed. If the state of the agent before its first open event is unknown, downtime
 * until its first startup is not compared.
 *
 * @param opened by seq, ascending, without gaps
 *
 * Source: transparency log, How a score follows from the log, (d); trust score algorithm 1.0, rollup row
 */
export function judgeRollups(
  days: readonly LoggedDay[],
  opened: readonly OpenedEvent[],
): { days: number; problems: string[] } {
  const account = emptyAccount()
  const first = opened[0]?.seq ?? 1
  account.seq = first - 1
  const hidden = new Map<string, number>() // by row
  const isUnsure = new Set<string>() // rows whose downtime is unknown
  let isKnown = first === 1
  for (const { seq, facts, metadata } of opened) {
    const { event_type, severity, source, created_at } = facts
    const at_ms = Date.parse(created_at)
    addEvent(account, { seq, source, event_type, severity, metadata: metadata ?? {}, at_ms, added: null })
    const row = nameOf({ day: created_at.slice(0, 10), source })
    if (event_type === 'task_completed' && !metadata) hidden.set(row, (hidden.get(row) ?? 0) + 1)
    if (event_type !== 'startup' || isKnown) continue
    isUnsure.add(row)
    isKnown = true
  }
  const problems: string[] = []
  let [before, judged] = [0, 0]
  for (const { day, seq, rows } of days) {
    const isOpen = before + 1 >= first && seq > before && seq <= account.seq
    before = seq
    if (!isOpen) continue
    judged += 1
    const own = [...account.rows.values()].filter((row) => row.day === day)
    const names = new Set([...own, ...rows].map(nameOf))
    for (const name of names) {
      const differing = differingField(
        rows.find((row) => nameOf(row) === name),
        own.find((row) => nameOf(row) === name),
        { hidden: hidden.get(name) ?? 0, isUnsure: isUnsure.has(name) },
      )
      if (differing) problems.push(`day ${name}: ${differing}`)
    }
  }
  return { days: judged, problems }
}

function differingField(
  logged: Rollup | undefined,
  own: Rollup | undefined,
  { hidden, isUnsure }: { hidden: number; isUnsure: boolean },
): string | null {
  if (!logged) return 'the log has no row, but the day has events'
  if (!own) return 'the log has a row, but the day has no events'
  for (const field of ROLLUP_FIELDS) {
    if (field === 'down_seconds' && isUnsure) continue
    const most = own[field] + hidden * (OF_METADATA[field] ?? 0)
    if (logged[field] >= own[field] && logged[field] <= most) continue
    return `${field} is ${logged[field]} in the log, but ${own[field]} in its events`
  }
  return null
}
