/** Timeout for a receiver's response (interface, section 6.4). */
export const RECEIVER_TIMEOUT_MS = 30_000

/** A webhook is disabled after this many failed deliveries in a row, if the first of them failed this long ago. */
export const DISABLE_AFTER_FAILURES = 10
export const DISABLE_AFTER_HOURS = 24

/** A webhook whose URL has never returned 2xx is disabled after this many attempts since any of its URLs did. */
export const ATTEMPTS_WITHOUT_RESPONSE_MAX = 50
