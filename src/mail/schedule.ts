/** Timeout for the provider; QStash's next try repeats the request with the same idempotency key. */
export const PROVIDER_TIMEOUT_MS = 15_000

/** How long QStash waits for the relay: the provider, and 5 s for each of the two steps of the database. */
export const RELAY_TIMEOUT_SECONDS = 30

/** How often QStash repeats a message that the relay refuses: after 12 s, 2.5 min, 30 min, and 6 h. */
export const RETRIES = 4

/** QStash has given up a message by then: the tries take 6 h 40 min. */
export const MESSAGE_LIFE_HOURS = 8

/**
 * Mails older than this are not sent: the provider forgets idempotency keys after 24 hours, and could then send a mail
 * twice.
 */
export const EXPIRES_AFTER_HOURS = 23
