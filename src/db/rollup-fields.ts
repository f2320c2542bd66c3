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
 * The counters of a rollup row after day and source, in the order of the canonical form whose hash is published. Table,
 * type, zeros, and the hash are made from this list. `append_events`, the trigger that prints a row, and the reader
 * list the fields themselves; tests compare them with this list.
 *
 * Source: trust score algorithm 1.0, rollup row
 */
export const ROLLUP_FIELDS = [...WORK_FIELDS, ...FAULT_FIELDS] as const

export type RollupField = (typeof ROLLUP_FIELDS)[number]
