import { isStorable } from '../lib/text.ts'

const MAX_BYTES = 16 * 1024
const MAX_LEVELS = 10

const encoder = new TextEncoder()

/**
 * Why an event's metadata is refused; null when it can be stored.
 *
 * @param metadata any JSON object; itself is the first level
 */
export function metadataProblem(metadata: Record<string, unknown>): string | null {
  if (isDeeperThan(metadata, MAX_LEVELS)) return `at most ${MAX_LEVELS} levels`
  const text = JSON.stringify(metadata)
  if (isLongerThan(text, MAX_BYTES)) return `at most ${MAX_BYTES} bytes`
  // What cannot be stored shows in the text, as null or as an escape; most metadata have neither.
  if (text.includes('null') && hasHugeNumber(metadata)) return 'numbers must be between -1.8e308 and 1.8e308'
  if (text.includes('\\u') && !isStorableJson(metadata))
    return 'must not contain NUL or half a surrogate pair'
  return null
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const inner of Object.values(value)) if (isDeeperThan(inner, levels - 1)) return true
  return false
}

/** In UTF-8, where a unit of UTF-16 takes at most three bytes: short texts need no encoding. */
function isLongerThan(text: string, bytes: number): boolean {
  return 3 * text.length > bytes && encoder.encode(text).byteLength > bytes
}

/** JSON.parse reads a number beyond the range of a double as infinite, and JSON cannot say that. */
function hasHugeNumber(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasHugeNumber)
}

function isStorableJson(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, inner]) => isStorable(key) && isStorableJson(inner))
}
