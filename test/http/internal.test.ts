import { describe, it } from 'vitest'
import { expectError, shared } from '../support/harness.ts'

const { api } = shared()
const MAX_BYTES = 256 * 1024

describe.each(['//internal/qstash/deliver', '//internal/kyc/stripe', '//internal/mail/resend'])(
  '%s',
  (path) => {
    it('accepts a body of 256 KiB, and rejects a larger one before it checks the signature', async () => {
      expectError(await api('POST', path, { body: 'x'.repeat(MAX_BYTES) }), 401, 'UNAUTHORIZED', /ignature/)
      const larger = await api('POST', path, { body: 'x'.repeat(MAX_BYTES + 1) })
      expectError(larger, 413, 'PAYLOAD_TOO_LARGE', /at most 262144 bytes/)
    })
  },
)
