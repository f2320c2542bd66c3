import type { LifecycleState, Source } from '../db/enums.ts'
import type { LoggedEvent } from './rollup.ts'

/** The longest downtime that counts: 90 days. */
export const MAX_INTERVAL_SECONDS = 90 * 86_400

type LifecycleEvent = Pick<LoggedEvent, 'event_type' | 'severity'>

/** Whether an agent runs, as one side says, and since when (ms since the epoch). */
export interface Lifecycle {
  state: LifecycleState
  sinceMs: number
}

/** The steps of a batch, independent of the stored state. */
interface LifecycleBatch {
  has_up: boolean
  has_shutdown: boolean
  /** The state after the batch, if the batch changes the stored one. */
  end_state: LifecycleState
}

/** Steps up: a completed task proves that the agent runs. */
const UPS = ['startup', 'task_completed']

/**
 * Summarizes the steps of one agent in a batch, so that SQL (the function lifecycle_step) can apply them to the stored
 * state of the side that reports.
 *
 * If shutdowns end the batch, the first of them took the agent down, unless the batch has no step up and the agent was
 * already down; then its state does not change. So `end_state` never depends on the stored state.
 *
 * @param events the accepted events in the order of the log; other types are ignored
 * @returns null without steps
 *
 * Source: trust score algorithm 1.0, rollup row, `down_seconds`
 */
export function lifecycleOf(events: readonly LifecycleEvent[]): LifecycleBatch | null {
  const steps = events.filter(({ event_type }) => UPS.includes(event_type) || event_type === 'shutdown')
  if (steps.length === 0) return null
  const lastUp = steps.findLastIndex(({ event_type }) => UPS.includes(event_type))
  const stopped = steps[lastUp + 1]
  return {
    has_up: lastUp >= 0,
    has_shutdown: steps.some(({ event_type }) => event_type === 'shutdown'),
    end_state: stopped ? downState(stopped.severity) : 'up',
  }
}

/**
 * Applies the steps of one batch, which all have the same time, to the stored state of the side that reports. A test
 * compares it with its SQL counterpart, the function lifecycle_step.
 *
 * @param stored null before the first change: a side is up before its first event
 * @param events the accepted events in the order of the log; a single event is a batch of one
 * @param nowMs their `created_at`, in ms since the epoch
 * @returns the next state; and the downtime that a step up ends, in whole seconds (0 to 90 days), which counts for the
 * day of `nowMs`
 *
 * Source: trust score algorithm 1.0, rollup row, `down_seconds`
 */
export function lifecycleStep(
  stored: Lifecycle | null,
  events: readonly LifecycleEvent[],
  nowMs: number,
): { next: Lifecycle | null; down_seconds: number } {
  const batch = lifecycleOf(events)
  if (!batch || !moves(stored, batch)) return { next: stored, down_seconds: 0 }
  return {
    next: { state: batch.end_state, sinceMs: nowMs },
    down_seconds: stored?.state === 'failed' ? wholeSeconds(nowMs - stored.sinceMs) : 0,
  }
}

function moves(stored: Lifecycle | null, batch: LifecycleBatch): boolean {
  return !stored || stored.state === 'up' ? batch.has_shutdown : batch.has_up
}

/** The two sides that say whether an agent runs: its operator, and all others. */
export type Side = 'own' | 'others'

/** The side of a report. */
export function sideOf(source: Source): Side {
  return source === 'self' ? 'own' : 'others'
}

function downState(severity: string): LifecycleState {
  return severity === 'error' || severity === 'critical' ? 'failed' : 'down'
}

function wholeSeconds(ms: number): number {
  return Math.min(MAX_INTERVAL_SECONDS, Math.max(0, Math.floor(ms / 1000)))
}
