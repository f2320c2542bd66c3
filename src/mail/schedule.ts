import { LEASE_MS } from '../lib/retries.ts'

/** Timeout for the provider; a later attempt repeats the request with the same idempotency key. */
export const PROVIDER_TIMEOUT_MS = 15_000

/** Duration of the lease of a claimed attempt. */
export const CLAIM_MS = LEASE_MS

/**
 * Mails older than this are not sent: the provider forgets idempotency keys after 24 hours, and could then send a mail
 * twice.
 */
export const EXPIRES_AFTER_HOURS = 23
