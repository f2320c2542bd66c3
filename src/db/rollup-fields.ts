/** The counters of a rollup row that are 0 on most days. */
export const FAULT_FIELDS = [
  'incidents_info',
  'incidents_warning',
  'incidents_error',
  'incidents_critical',
  'down_seconds',
] as const

/** The other counters of a rollup row. */
export const WORK_FIELDS = [
  'events',
  'completed',
  'failed',
  'graded_count',
  'graded_milli',
  'latency_count',
  'latency_satisfied',
  'latency_tolerating',
] as const

/**
 * The counters of a rollup row, in the order of the canonical form whose hash is published, after day and source: the
 * table, the type and the zeros are made of this list. `append_events`, the trigger that prints a row, the reader and the
 * hash name its fields as well; tests compare them with it.
 *
 * Source: trust score algorithm 1.0, rollup row
 */
export const ROLLUP_FIELDS = [...WORK_FIELDS, ...FAULT_FIELDS] as const

export type RollupField = (typeof ROLLUP_FIELDS)[number]

/** A value for each counter; the keys are those of the list, in its order. */
export function eachField<T>(make: (field: RollupField) => T): Record<RollupField, T> {
  return Object.fromEntries(ROLLUP_FIELDS.map((field) => [field, make(field)])) as Record<RollupField, T>
}
