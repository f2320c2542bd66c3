import { SOURCES, type Source } from '../db/enums.ts'
import { ROLLUP_FIELDS } from '../db/rollup-fields.ts'
import { sha256 } from '../lib/crypto.ts'
import { dayOf } from '../lib/time.ts'
import type { Rollup } from './rollup.ts'
import { inOrder } from './window.ts'

// Character codes.
const COMMA = 44
const ZERO = 48
const NINE = 57

const BY_INITIAL = /* @__PURE__ */ new Map<number | undefined, Source>(
  SOURCES.map((source) => [source.charCodeAt(0), source]),
)
const encoder = /* @__PURE__ */ new TextEncoder()

/** The fields of a rollup row in the order of the canonical form: two texts, then integers. */
export const INPUT_FIELDS = ['day', 'source', ...ROLLUP_FIELDS] as const

/**
 * The canonical form of the inputs of a score: a JSON array of the rows without whitespace, oldest first, within a day
 * by source; each row is an array of its values in the order of trust score algorithm 1.0. The number of open outages is
 * the last element if it is not 0.
 *
 * @param rows rollup rows, in any order
 */
export function canonicalInputs(rows: readonly Rollup[], openOutages = 0): string {
  const values = inOrder(rows).map((row) => INPUT_FIELDS.map((name) => row[name]))
  return JSON.stringify(openOutages === 0 ? values : [...values, openOutages])
}

/**
 * Parses rows in the format of the column `printed`. Parsing digits by hand and making each row as one object literal
 * takes half the time of splitting texts and assigning fields.
 *
 * @param text `20779s50,49,1,…,5 20779i3,…,0 `: for each row the days since 1970, the initial of the source, the
 * counters in canonical order (those of faults and downtime only if one of them is not 0), and a space
 */
export function readRows(text: string): Rollup[] {
  const bytes = encoder.encode(text) // reading characters of a string can take twice as long
  const rows: Rollup[] = []
  let [at, lastDay, day] = [0, Number.NaN, '']
  const next = () => {
    let value = 0
    // Starts at the separator before the digits and ends at the one after them.
    for (let digit = (bytes[++at] as number) - ZERO; digit >= 0; digit = (bytes[++at] as number) - ZERO) {
      value = value * 10 + digit
    }
    return value
  }
  const orZero = () => (bytes[at] === COMMA ? next() : 0)
  for (; at < bytes.length; at++) {
    let days = 0
    for (; (bytes[at] as number) <= NINE; at++) days = days * 10 + (bytes[at] as number) - ZERO
    if (days !== lastDay) [lastDay, day] = [days, dayOf(days)]
    rows.push({
      day,
      source: sourceBy(bytes[at]),
      events: next(),
      completed: next(),
      failed: next(),
      graded_count: next(),
      graded_milli: next(),
      latency_count: next(),
      latency_satisfied: next(),
      latency_tolerating: next(),
      incidents_info: orZero(),
      incidents_warning: orZero(),
      incidents_error: orZero(),
      incidents_critical: orZero(),
      down_seconds: orZero(),
    })
  }
  return rows
}

/**
 * The SHA-256 of the canonical form of the inputs of a score.
 *
 * @param rows rollup rows, in any order
 * @returns 64 lowercase hexadecimal digits
 */
export function hashInputs(rows: readonly Rollup[], openOutages = 0): Promise<string> {
  return sha256(canonicalInputs(rows, openOutages))
}

function sourceBy(initial: number | undefined): Source {
  const source = BY_INITIAL.get(initial)
  if (!source) throw new Error('a rollup row has an unknown source')
  return source
}
