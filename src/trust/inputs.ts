import type { Source } from '../db/enums.ts'
import { eachField, ROLLUP_FIELDS } from '../db/rollup-fields.ts'
import { sha256 } from '../lib/crypto.ts'
import type { Rollup } from './rollup.ts'
import { inOrder } from './window.ts'

const DAY_LENGTH = 10
const BETWEEN_ROWS = 3 // `),(`
// Codes of characters.
const ZERO = 48
const INITIAL_S = 115
const INITIAL_P = 112

const encoder = new TextEncoder()

/** The fields of a rollup row in the order of the canonical form: two texts, then integers. */
export const INPUT_FIELDS = ['day', 'source', ...ROLLUP_FIELDS] as const

/**
 * The rows that a score is computed from, as they are published: oldest first, of one day self, peer, independent;
 * fields in canonical order.
 *
 * @param rows rollup rows, in any order
 */
export function canonicalRows(rows: readonly Rollup[]): Rollup[] {
  return inOrder(rows).map((row) => ({
    day: row.day,
    source: row.source,
    ...eachField((field) => row[field]),
  }))
}

/**
 * The canonical form of what a score was computed from: the rows as a JSON array, oldest first, of one day self, peer,
 * independent, each row an array of its values in the order of trust score algorithm 1.0, without white space.
 *
 * @param rows rollup rows, in any order
 */
export function canonicalInputs(rows: readonly Rollup[]): string {
  return JSON.stringify(inOrder(rows).map((row) => INPUT_FIELDS.map((field) => row[field])))
}

/**
 * The canonical form of rows as Postgres prints them, `(2026-11-21,self,20,…),(…)`: half as dear as JSON is there.
 *
 * @param rows oldest first, fields in canonical order
 */
export function toCanonical(rows: string): string {
  return `[${rows.replace(/\((.{10}),([a-z]+),/g, '["$1","$2",').replaceAll(')', ']')}]`
}

/**
 * Reads rows as Postgres prints them. Digit by digit, and each row at once: half the time of texts for the numbers, and
 * of an object that is filled field by field.
 *
 * @param text `(2026-11-21,self,20,…),(…)`: day, source, then whole numbers of at least 0 in canonical order
 */
export function readRows(text: string): Rollup[] {
  const bytes = encoder.encode(text) // a text may be read at half of their speed
  const rows: Rollup[] = []
  let at = 1
  const next = () => {
    let value = 0
    // `,` and `)` stand before the digits; there is one behind the last of them.
    for (let digit = (bytes[++at] as number) - ZERO; digit >= 0; digit = (bytes[++at] as number) - ZERO) {
      value = value * 10 + digit
    }
    return value
  }
  for (; at < bytes.length; at += BETWEEN_ROWS) {
    const day = text.slice(at, at + DAY_LENGTH)
    at += DAY_LENGTH + 1
    const source = sourceBy(bytes[at])
    at += source.length
    rows.push({
      day,
      source,
      events: next(),
      completed: next(),
      failed: next(),
      graded_count: next(),
      graded_milli: next(),
      latency_count: next(),
      latency_satisfied: next(),
      latency_tolerating: next(),
      incidents_info: next(),
      incidents_warning: next(),
      incidents_error: next(),
      incidents_critical: next(),
      down_seconds: next(),
    })
  }
  return rows
}

/**
 * The fingerprint of what a score was computed from: SHA-256 of its canonical form.
 *
 * @param rows rollup rows, in any order
 * @returns 64 lowercase hexadecimal digits
 */
export function hashInputs(rows: readonly Rollup[]): Promise<string> {
  return sha256(canonicalInputs(rows))
}

function sourceBy(initial: number | undefined): Source {
  if (initial === INITIAL_S) return 'self'
  return initial === INITIAL_P ? 'peer' : 'independent'
}
