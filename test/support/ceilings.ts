import { expect } from 'vitest'
import { administer } from '../../scripts/admin.ts'
import { type Answer, expectError, type Harness, type Operator } from './harness.ts'

export const NOON = new Date('2026-11-20T12:00:00Z')
export const TO_MIDNIGHT_SECONDS = 12 * 3_600

export const setTier = (h: Harness, { email }: Operator, tier: string) =>
  administer(h.database_url, ['tier', email, tier])

/** Expects that noon's call was over what is allowed a UTC day. */
export function expectToday(answer: Answer, message: RegExp): void {
  expectError(answer, 429, 'RATE_LIMITED', message)
  expect(answer.headers.get('retry-after')).toBe(String(TO_MIDNIGHT_SECONDS))
  expect(Number(answer.headers.get('x-ratelimit-remaining'))).toBeGreaterThan(0)
}
