import { eachField, ROLLUP_FIELDS, type RollupField } from '../db/rollup-fields.ts'

// Responses above a day are taken for a mistake of the reporter and ignored.
const MAX_RESPONSE_MS = 86_400_000
// Apdex with T = 2 s: satisfied up to T, tolerating up to 4 T.
const SATISFIED_MS = 2_000
const TOLERATING_MS = 8_000

/** What is counted of the events of an agent: every field an integer that is only ever added to. */
export type RollupCounts = Record<RollupField, number>

/** What one agent did on one UTC day. */
export interface DailyRollup extends RollupCounts {
  /** `YYYY-MM-DD` */
  day: string
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
 * @returns every counter, most of them 0; all integers, at most 86,400,000; uptime is what `lifecycleStep` gives
 *
 * Source: trust score algorithm 1.0, rollup row
 */
export function eventDelta(event: LoggedEvent): RollupCounts {
  const delta: RollupCounts = { ...NOTHING, events: 1 }
  const incident = incidentField(event)
  if (incident) delta[incident] += 1
  if (event.event_type === 'task_completed') delta.completed += 1
  else if (event.event_type === 'task_failed') delta.failed += 1
  else return delta

  const grade = gradeOf(event.metadata)
  if (grade !== null) {
    delta.graded_count += 1
    delta.graded_milli += Math.round(1000 * grade)
  }
  const ms = event.metadata.response_ms
  if (isBetween(ms, 0, MAX_RESPONSE_MS)) {
    delta.latency_count += 1
    delta.latency_ms += Math.round(ms)
    if (ms <= SATISFIED_MS) delta.latency_satisfied += 1
    else if (ms <= TOLERATING_MS) delta.latency_tolerating += 1
    delta.latency_log_micro += Math.round(1e6 * Math.log(Math.max(1, ms)))
  }
  return delta
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

function isBetween(value: unknown, low: number, high: number): value is number {
  return typeof value === 'number' && value >= low && value <= high
}
