import { isStorable } from '../lib/text.ts'

const MAX_BYTES = 16 * 1024
/** The check constraint of the table, on the text that Postgres writes, which is longer than that of JSON.stringify. */
const MAX_STORED_BYTES = 20_000
const MAX_LEVELS = 10
const NUMBER_MAX_CHARACTERS = 24
const SMALLEST_FRACTION = 1e-7
const SHOWN_OF_KEY = 50

const BEYOND = `must be between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}; send larger numbers as strings`
const TOO_SMALL = `must be 0, or at least ${SMALLEST_FRACTION} away from 0; send smaller numbers as strings or in a smaller unit`
const TOO_LONG = `at most ${NUMBER_MAX_CHARACTERS} characters when written without an exponent; round the number or send it as a string`
const TOO_LONG_STORED = `at most ${MAX_STORED_BYTES} bytes when written with a space after each comma and colon, and without exponents`

const encoder = new TextEncoder()

/** Why metadata is rejected, and where the problem is. */
interface MetadataProblem {
  /** Keys and positions from the outermost object on; empty if the problem is about the whole metadata. */
  path: string[]
  message: string
}

/**
 * Why the metadata of an event is rejected; null if it can be stored and reads back as equal.
 *
 * @param metadata any JSON object, which is the first level
 */
export function metadataProblem(metadata: Record<string, unknown>): MetadataProblem | null {
  if (isDeeperThan(metadata, MAX_LEVELS)) return about(`at most ${MAX_LEVELS} levels`)
  const text = JSON.stringify(metadata)
  // A UTF-16 code unit takes at most three bytes, also when stored, so that short texts need no second check.
  const isShort = 3 * text.length <= MAX_BYTES
  if (!isShort && encoder.encode(text).byteLength > MAX_BYTES) return about(`at most ${MAX_BYTES} bytes`)
  const badNumber = findNumber(metadata)
  if (badNumber) return badNumber
  if (!isShort && storedBytes(metadata, text) > MAX_STORED_BYTES) return about(TOO_LONG_STORED)
  // Characters that cannot be stored are escaped in the text; most metadata has no escapes.
  if (text.includes('\\u') && !isStorableJson(metadata))
    return about('must not contain NUL or an unpaired surrogate')
  return null
}

/**
 * The length of metadata as Postgres writes it, in bytes of UTF-8: with a space after each comma and colon, and numbers
 * without exponents.
 *
 * @param metadata a JSON object whose numbers are not rejected
 * @param text the output of JSON.stringify for it
 *
 * Source: PostgreSQL, JSON types
 */
export function storedBytes(metadata: Record<string, unknown>, text = JSON.stringify(metadata)): number {
  return encoder.encode(text).byteLength + growth(metadata)
}

function about(message: string): MetadataProblem {
  return { path: [], message }
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const inner of Object.values(value)) if (isDeeperThan(inner, levels - 1)) return true
  return false
}

function findNumber(value: unknown): MetadataProblem | null {
  if (typeof value === 'number') {
    const message = numberProblem(value)
    return message === null ? null : about(message)
  }
  if (typeof value !== 'object' || value === null) return null
  for (const key in value) {
    const found = findNumber((value as Record<string, unknown>)[key])
    if (found) return { ...found, path: [[...key].slice(0, SHOWN_OF_KEY).join(''), ...found.path] }
  }
  return null
}

/** JSON.parse rounds silently: an integer beyond the safe integers may differ from what was sent. */
function numberProblem(value: number): string | null {
  if (Number.isSafeInteger(value)) return null
  if (!Number.isFinite(value) || Number.isInteger(value)) return BEYOND
  if (Math.abs(value) < SMALLEST_FRACTION) return TOO_SMALL
  return writtenOut(value) > NUMBER_MAX_CHARACTERS ? TOO_LONG : null
}

/** The length of a number as jsonb writes it, without exponent; the only exponent that is accepted here is -7. */
function writtenOut(value: number): number {
  const text = String(value)
  if (!text.endsWith('e-7')) return text.length
  return text.length - (text.includes('.') ? 1 : 0) - 'e-7'.length + '0.000000'.length
}

function growth(value: unknown): number {
  if (typeof value === 'number') return writtenOut(value) - String(value).length
  if (typeof value !== 'object' || value === null) return 0
  const inner = Object.values(value)
  const spaces = Array.isArray(value) ? inner.length - 1 : 2 * inner.length - 1
  return inner.reduce((sum: number, each) => sum + growth(each), Math.max(0, spaces))
}

function isStorableJson(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, inner]) => isStorable(key) && isStorableJson(inner))
}
