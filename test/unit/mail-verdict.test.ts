import { expect, it } from 'vitest'
import { judge } from '../../src/mail/verdict.ts'

const response = (status: number | null, error: string | null = null, isOfAddress = false) => ({
  status,
  error,
  isOfAddress,
})

it.each([
  ['accepted', response(200), 'sent'],
  ['accepted before with another text', response(409, 'invalid_idempotent_request'), 'sent'],
  ['another attempt is under way', response(409, 'concurrent_idempotent_requests'), 'again'],
  ['the address is rejected', response(422, 'validation_error', true), 'rejected'],
  ['another field of the email is rejected', response(422, 'missing_required_field'), 'failed'],
  ['the key is wrong', response(403, 'invalid_api_key'), 'again'],
  ['the sender is not verified', response(403, 'validation_error', true), 'again'],
  ['a server error', response(500, 'application_error'), 'again'],
  ['no response', response(null, 'timeout'), 'again'],
])('%s: the verdict on %o is %s', (_, given, verdict) => {
  expect(judge(given)).toBe(verdict)
})
