import { expect } from 'vitest'
import type { Allowance } from '../../src/allowances/store.ts'
import { type ApiResponse, expectError, type Harness, type Operator } from './harness.ts'

const TO_MIDNIGHT_SECONDS = 12 * 3_600
const REQUEST_SECONDS = 60 // the clock of a request continues, so that on a busy machine the response is written later

/** Gives an operator so much of its allowances that a test cannot use them up. */
export const giveAllowances = (h: Harness, { id }: Pick<Operator, 'id'>, names: readonly Allowance[]) =>
  h.sql(
    `insert into allowances (operator_id, name, since, taken) select $1, name, '2099-01-01', -1000000 from unnest($2::text[]) name
     on conflict (operator_id, name) do update set since = excluded.since, taken = excluded.taken`,
    [id, names],
  )

/** Expects that a call at noon exceeded the quota of the UTC day. */
export function expectToday(response: ApiResponse, message: RegExp): void {
  expectError(response, 429, 'RATE_LIMITED', message)
  expectWait(response, TO_MIDNIGHT_SECONDS)
  expect(Number(response.headers.get('x-ratelimit-remaining'))).toBeGreaterThan(0)
}

/** Expects a Retry-After that ends a number of seconds after the request began, or slightly earlier. */
export function expectWait({ headers }: ApiResponse, seconds = TO_MIDNIGHT_SECONDS): void {
  const wait = Number(headers.get('retry-after'))
  expect(wait).toBeLessThanOrEqual(seconds)
  expect(wait).toBeGreaterThan(Math.max(0, seconds - REQUEST_SECONDS))
}
