import { sha256 } from '../lib/crypto.ts'
import { type DailyRollup, ROLLUP_FIELDS } from './rollup.ts'

/** The fields of a rollup row in the order of the canonical form; the first is the day, the others are integers. */
export const INPUT_FIELDS = ['day', ...ROLLUP_FIELDS, 'up_seconds', 'down_seconds'] as const

/**
 * The rows that a score is computed from, as they are published: oldest first, fields in canonical order.
 *
 * @param days rollup rows, in any order
 */
export function canonicalRows(days: readonly DailyRollup[]): DailyRollup[] {
  return days.toSorted((a, b) => (a.day < b.day ? -1 : 1)).map(inOrder)
}

/**
 * The canonical form of what a score was computed from: the rows as a JSON array, oldest first, each row an array of
 * its values in the order of trust score algorithm 1.0, without white space.
 *
 * @param days rollup rows, in any order
 */
export function canonicalInputs(days: readonly DailyRollup[]): string {
  return JSON.stringify(canonicalRows(days).map((row) => INPUT_FIELDS.map((field) => row[field])))
}

/**
 * The canonical form of rows as Postgres prints them, `(2026-11-21,20,…),(…)`: half as dear as JSON is there.
 *
 * @param rows oldest first, fields in canonical order
 */
export function toCanonical(rows: string): string {
  return `[${rows.replace(/\((.{10}),/g, '["$1",').replaceAll(')', ']')}]`
}

/**
 * Reads the canonical form back.
 *
 * @param text as `canonicalInputs` writes it
 */
export function readInputs(text: string): DailyRollup[] {
  const rows: Row[] = JSON.parse(text)
  return rows.map(toRow)
}

/**
 * The fingerprint of what a score was computed from: SHA-256 of its canonical form.
 *
 * @param days rollup rows, in any order
 * @returns 64 lowercase hexadecimal digits
 */
export function hashInputs(days: readonly DailyRollup[]): Promise<string> {
  return sha256(canonicalInputs(days))
}

/** The same row; INPUT_FIELDS holds each of its fields once. */
function inOrder(row: DailyRollup): DailyRollup {
  return Object.fromEntries(INPUT_FIELDS.map((field) => [field, row[field]])) as unknown as DailyRollup
}

type Row = readonly [
  string,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
]

/** Field by field, as 45,000 rows a page pass here: a loop over names would take three times as long. */
function toRow(row: Row): DailyRollup {
  return {
    day: row[0],
    events: row[1],
    completed: row[2],
    failed: row[3],
    graded_count: row[4],
    graded_milli: row[5],
    latency_count: row[6],
    latency_ms: row[7],
    latency_satisfied: row[8],
    latency_tolerating: row[9],
    latency_log_micro: row[10],
    incidents_info: row[11],
    incidents_warning: row[12],
    incidents_error: row[13],
    incidents_critical: row[14],
    up_seconds: row[15],
    down_seconds: row[16],
  }
}
