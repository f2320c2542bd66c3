import { InvalidArgumentError } from 'commander'
import { REG_PATTERN } from '../../../src/lib/agent-number.ts'

export const REG_RULE = 'must be an agent number, such as REG-2026-0001-0042-U'
const SPAN = /^(\d{1,4})(m|h|d)$/
const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Reads an agent number, in upper or lower case; does not check whether it exists. */
export function readReg(word: string): string {
  const reg = word.trim().toUpperCase()
  if (REG_PATTERN.test(reg)) return reg
  throw new InvalidArgumentError(REG_RULE)
}

/**
 * Reads a time in ISO 8601, or a duration before now.
 *
 * @param word `2026-11-21T08:00:00Z`, `2026-11-21`, `90m`, `2h` or `3d`
 */
export function readSince(word: string): string {
  const [, count, unit] = SPAN.exec(word) ?? []
  if (count && unit) {
    const ms = UNIT_MS[unit as keyof typeof UNIT_MS] // the pattern allows no other unit
    return new Date(Date.now() - Number(count) * ms).toISOString()
  }
  if (/^\d{4}-\d{2}-\d{2}/.test(word) && !Number.isNaN(Date.parse(word))) return word
  throw new InvalidArgumentError(
    'must be a time, such as 2026-11-21T08:00:00Z, or a duration before now, such as 2h',
  )
}

/** Reads an http or https URL. */
export function readUrl(word: string): string {
  const url = URL.canParse(word) ? new URL(word) : null
  if (url && /^https?:$/.test(url.protocol)) return url.href
  throw new InvalidArgumentError('must be a URL, such as http://localhost:3000')
}
