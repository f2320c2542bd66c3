/** How long a test waits for what comes by itself: a busy machine takes its time, and a passing test does not wait. */
export const SOON = { timeout: 60_000, interval: 20 }
