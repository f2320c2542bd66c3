import type { Source } from '../db/enums.ts'
import { eachField, ROLLUP_FIELDS, type RollupField } from '../db/rollup-fields.ts'

// Responses above a day are taken for a mistake of the reporter and ignored.
const MAX_RESPONSE_MS = 86_400_000
// Apdex with T = 2 s: satisfied up to T, tolerating up to 4 T.
const SATISFIED_MS = 2_000
const TOLERATING_MS = 8_000

/** What is counted of the events of an agent: every field an integer that is only ever added to. */
export type RollupCounts = Record<RollupField, number>

/** What reports of one source say that one agent did on one UTC day. */
export interface Rollup extends RollupCounts {
  /** `YYYY-MM-DD` */
  day: string
  source: Source
}

/** What the log says of an event, as far as the rollup reads it. */
export interface LoggedEvent {
  event_type: string
  severity: string
  metadata: Record<string, unknown>
}

type IncidentField = Extract<RollupField, `incidents_${string}`>

const NOTHING: Readonly<RollupCounts> = eachField(() => 0)

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
 * Says what one event adds to the rollup row of its UTC day.
 *
 * @param event type and severity of the log; of the metadata, values of the wrong type or range are ignored
 * @returns every counter, most of them 0; downtime is what `lifecycleStep` gives
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
 * The response time of an event that counts one in `latency_count`, for the mean of an agent's life.
 *
 * @returns whole ms; 0 for any other event
 */
export function responseMs({ event_type, metadata }: LoggedEvent): number {
  const ms = metadata.response_ms
  return event_type === 'task_completed' && isResponseTime(ms) ? Math.round(ms) : 0
}

/**
 * Adds up what several events of one agent and day add.
 *
 * @param deltas in any order; none gives zeros
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
