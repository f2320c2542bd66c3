/** What the provider has responded to an attempt; without a status there was no whole response. */
export interface ProviderResponse {
  status: number | null
  /** The name of its error, or a word of ours. */
  error: string | null
  /** Whether the response says that it is the recipient's address which is rejected. */
  isOfAddress: boolean
}

/** What a response makes of a mail: sent, never to be sent, or to be tried again; `rejected` is the address. */
export type MailVerdict = 'sent' | 'rejected' | 'failed' | 'again'

const INVALID = [400, 422]
const ALREADY_TAKEN = 'invalid_idempotent_request' // under this key, with other words: they have changed since

/**
 * Judges an attempt. What is wrong with the key, the sender or the account is ours to mend, and may be mended before the
 * next attempt: no address is held to blame for it.
 *
 * Source: https://resend.com/docs/api-reference/errors
 */
export function judge({ status, error, isOfAddress }: ProviderResponse): MailVerdict {
  if (status === null) return 'again'
  if (status >= 200 && status < 300) return 'sent'
  if (status === 409 && error === ALREADY_TAKEN) return 'sent'
  if (!INVALID.includes(status)) return 'again'
  return isOfAddress ? 'rejected' : 'failed'
}
