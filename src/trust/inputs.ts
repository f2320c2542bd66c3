import { eachField, ROLLUP_FIELDS } from '../db/rollup-fields.ts'
import { sha256 } from '../lib/crypto.ts'
import type { DailyRollup } from './rollup.ts'

/** The fields of a rollup row in the order of the canonical form; the first is the day, the others are integers. */
export const INPUT_FIELDS = ['day', ...ROLLUP_FIELDS] as const

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

function inOrder(row: DailyRollup): DailyRollup {
  return { day: row.day, ...eachField((field) => row[field]) }
}

type Row = readonly [day: string, ...counts: number[]]

const EMPTY_ROW: Readonly<DailyRollup> = { day: '', ...eachField(() => 0) }

/** Fills a copy, as 45,000 rows a page pass here: an object that grows field by field takes five times as long. */
function toRow(values: Row): DailyRollup {
  const row: DailyRollup = { ...EMPTY_ROW, day: values[0] }
  ROLLUP_FIELDS.forEach((field, index) => {
    row[field] = values[index + 1] as number
  })
  return row
}
