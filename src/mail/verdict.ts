/** The provider's response to an attempt; `status` is null if there was no complete response. */
export interface ProviderResponse {
  status: number | null
  /** The provider's name of the error, or our own. */
  error: string | null
  /** Whether the error is about the recipient's address. */
  isOfAddress: boolean
}

/** The consequence of a response: the mail is `sent`, has `failed`, is tried `again`, or its address was `rejected`. */
type MailVerdict = 'sent' | 'rejected' | 'failed' | 'again'

const INVALID = [400, 422]
const ALREADY_TAKEN = 'invalid_idempotent_request' // accepted before under this key; the text has changed since

/**
 * Judges an attempt. Problems with the API key, the sender, or the account can be fixed before the next attempt: they are
 * never attributed to the address.
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
