/**
 * The counters of a rollup row, in the order of the canonical form whose hash is published, after day and source: the
 * table, the type, the zeros, the reader and the hash are made of this list. Two SQL functions name its fields as well,
 * `append_events` and `rollup_rows`; a test compares them with it.
 *
 * Source: trust score algorithm 1.0, rollup row
 */
export const ROLLUP_FIELDS = [
  'events',
  'completed',
  'failed',
  'graded_count',
  'graded_milli',
  'latency_count',
  'latency_satisfied',
  'latency_tolerating',
  'incidents_info',
  'incidents_warning',
  'incidents_error',
  'incidents_critical',
  'down_seconds',
] as const

export type RollupField = (typeof ROLLUP_FIELDS)[number]

/** A value for each counter; the keys are those of the list, in its order. */
export function eachField<T>(make: (field: RollupField) => T): Record<RollupField, T> {
  return Object.fromEntries(ROLLUP_FIELDS.map((field) => [field, make(field)])) as Record<RollupField, T>
}
