/** Timeout for a receiver's response (docs/use/webhooks.md, "Retries"). */
export const RECEIVER_TIMEOUT_MS = 30_000

/**
 * When a webhook is disabled: after this many attempts since any of its URLs returned 2xx, if the current one never has; or
 * after this many failed deliveries in a row, if the first of them failed this long ago.
 */
export const DISABLE_AFTER = { silent_max: 50, failures_max: 10, failing_hours: 24 } as const
