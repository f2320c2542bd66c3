import { sha256 } from '../lib/crypto.ts'
import { type DailyRollup, ROLLUP_FIELDS } from './rollup.ts'

/** The fields of a rollup row in the order of the canonical form. */
const FIELDS = ['day', ...ROLLUP_FIELDS, 'up_seconds', 'down_seconds'] as const

/**
 * The rows that a score is computed from, as they are published: oldest first, fields in canonical order.
 *
 * @param days rollup rows, in any order
 */
export function canonicalRows(days: readonly DailyRollup[]): DailyRollup[] {
  return days.toSorted((a, b) => (a.day < b.day ? -1 : 1)).map(inOrder)
}

/**
 * The fingerprint of what a score was computed from: SHA-256 of the rows as a JSON array, oldest first, each row an
 * array of its values in the order of trust score algorithm 1.0, without white space.
 *
 * @param days rollup rows, in any order
 * @returns 64 lowercase hexadecimal digits
 */
export function hashInputs(days: readonly DailyRollup[]): Promise<string> {
  return sha256(JSON.stringify(canonicalRows(days).map((row) => FIELDS.map((field) => row[field]))))
}

/** The same row; FIELDS holds each of its fields once. */
function inOrder(row: DailyRollup): DailyRollup {
  return Object.fromEntries(FIELDS.map((field) => [field, row[field]])) as unknown as DailyRollup
}
