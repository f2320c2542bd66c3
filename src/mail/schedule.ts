import { LEASE_MS } from '../api/relay.ts'

/** How long the provider has to respond; what comes later is asked for again, under the same idempotency key. */
export const PROVIDER_TIMEOUT_MS = 15_000

/** How long a claimed attempt belongs to the Worker that claimed it. */
export const CLAIM_MS = LEASE_MS

/**
 * A mail older than this is not sent any more: the provider forgets idempotency keys after 24 hours, and would take a
 * repeat for another mail.
 */
export const EXPIRES_AFTER_HOURS = 23
