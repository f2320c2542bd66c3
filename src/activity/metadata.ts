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
  if (encoder.encode(JSON.stringify(metadata)).byteLength > MAX_BYTES) return `at most ${MAX_BYTES} bytes`
  if (hasHugeNumber(metadata)) return 'numbers must be between -1.8e308 and 1.8e308'
  if (!isStorableJson(metadata)) return 'must not contain NUL or half a surrogate pair'
  return null
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1))
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
