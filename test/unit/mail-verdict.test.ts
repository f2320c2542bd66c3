import { expect, it } from 'vitest'
import { judge } from '../../src/mail/verdict.ts'

const answer = (status: number | null, error: string | null = null, isOfAddress = false) => ({
  status,
  error,
  isOfAddress,
})

it.each([
  ['taken', answer(200), 'sent'],
  ['taken before, with the words of then', answer(409, 'invalid_idempotent_request'), 'sent'],
  ['another attempt is under way', answer(409, 'concurrent_idempotent_requests'), 'again'],
  ['the address is rejected', answer(422, 'validation_error', true), 'rejected'],
  ['the address is rejected, by the older status', answer(400, 'validation_error', true), 'rejected'],
  ['something else of the mail is rejected', answer(422, 'missing_required_field'), 'failed'],
  ['the key is wrong', answer(403, 'invalid_api_key'), 'again'],
  ['the sender is not verified', answer(403, 'validation_error', true), 'again'],
  ['there is no key', answer(401, 'missing_api_key'), 'again'],
  ['too many', answer(429, 'daily_quota_exceeded'), 'again'],
  ['a fault of theirs', answer(500, 'application_error'), 'again'],
  ['led elsewhere', answer(302), 'again'],
  ['no answer', answer(null, 'timeout'), 'again'],
])('%s: %o is %s', (_, given, verdict) => {
  expect(judge(given)).toBe(verdict)
})
