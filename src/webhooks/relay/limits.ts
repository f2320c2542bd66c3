/** How long a receiver has to respond (interface, section 6.4). */
export const RECEIVER_TIMEOUT_MS = 30_000

/** A webhook is disabled when so many deliveries have failed in a row, the first of them so long ago. */
export const DISABLE_AFTER_FAILURES = 10
export const DISABLE_AFTER_HOURS = 24

/** So is one whose URL has never responded with 2xx, after so many attempts of whatever deliveries. */
export const DISABLE_AFTER_UNANSWERED = 50
