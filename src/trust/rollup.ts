import { each, type Source } from '../db/enums.ts'
import { ROLLUP_FIELDS, type RollupField } from '../db/rollup-fields.ts'

const MAX_RESPONSE_MS = 86_400_000 // a day; larger values are probably mistakes and are ignored
// Apdex with T = 2 s: satisfied up to T, tolerating up to 4 T.
const SATISFIED_MS = 2_000
const TOLERATING_MS = 8_000

/** The counters of a rollup: integers that only grow. */
export type RollupCounts = Record<RollupField, number>

/** The counters of one agent, UTC day, and source. */
export interface Rollup extends RollupCounts {
  /** `YYYY-MM-DD` */
  day: string
  source: Source
}

/** The fields of an event that the rollup reads. */
export interface LoggedEvent {
  event_type: string
  severity: string
  metadata: Record<string, unknown>
}

type IncidentField = Extract<RollupField, `incidents_${string}`>

/** The counters of a day without events. */
export const NOTHING: Readonly<RollupCounts> = each(ROLLUP_FIELDS, () => 0)

const INCIDENT_FIELDS: ReadonlyMap<string, IncidentField> = new Map([
  ['info', 'incidents_info'],
  ['warning', 'incidents_warning'],
  ['error', 'incidents_error'],
])
// An `error` event weighs one step less than an incident.
const ERROR_FIELDS: ReadonlyMap<string, IncidentField> = new Map([
  ['warning', 'incidents_info'],
  ['error', 'incidents_warning'],
])

/**
 * Computes what one event adds to the rollup row of its UTC day.
 *
 * @param event metadata values of the wrong type or range are ignored
 * @returns all counters, most of them 0; `down_seconds` comes from `lifecycleStep` instead
 *
 * Source: trust score algorithm 1.0, rollup row
 */
export function eventDelta(event: LoggedEvent): RollupCounts {
  const delta: RollupCounts = { ...NOTHING, events: 1 }
  const incident = incidentField(event)
  if (incident) delta[incident] += 1
  if (event.event_type === 'task_failed') delta.failed += 1
  if (event.event_type !== 'task_completed') return delta

  delta.completed += 1
  const grade = gradeOf(event.metadata)
  if (grade !== null) {
    delta.graded_count += 1
    delta.graded_milli += Math.round(1000 * grade)
  }
  const ms = event.metadata.response_ms
  if (isResponseTime(ms)) {
    delta.latency_count += 1
    if (ms <= SATISFIED_MS) delta.latency_satisfied += 1
    else if (ms <= TOLERATING_MS) delta.latency_tolerating += 1
  }
  return delta
}

/**
 * The response time of an event that counts in `latency_count`, for the agent's mean over all time.
 *
 * @returns whole ms; 0 for any other event
 */
export function responseMs({ event_type, metadata }: LoggedEvent): number {
  const ms = metadata.response_ms
  return event_type === 'task_completed' && isResponseTime(ms) ? Math.round(ms) : 0
}

/**
 * Adds up the deltas of several events of one agent and day.
 *
 * @param deltas in any order; an empty list gives zeros
 *
 * Source: trust score algorithm 1.0, rollup row
 */
export function sumDeltas(deltas: readonly RollupCounts[]): RollupCounts {
  const sum: RollupCounts = { ...NOTHING }
  for (const delta of deltas) for (const field of ROLLUP_FIELDS) sum[field] += delta[field]
  return sum
}

function incidentField({ event_type, severity }: LoggedEvent): IncidentField | undefined {
  if (severity === 'critical') return 'incidents_critical'
  if (event_type === 'incident') return INCIDENT_FIELDS.get(severity)
  if (event_type === 'error') return ERROR_FIELDS.get(severity)
}

function gradeOf({ quality, correct }: Record<string, unknown>): number | null {
  if (isBetween(quality, 0, 1)) return quality
  return typeof correct === 'boolean' ? Number(correct) : null
}

function isResponseTime(value: unknown): value is number {
  return isBetween(value, 0, MAX_RESPONSE_MS)
}

function isBetween(value: unknown, low: number, high: number): value is number {
  return typeof value === 'number' && value >= low && value <= high
}
