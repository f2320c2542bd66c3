/** How long tests wait for asynchronous effects: long enough for a busy machine, as a passing test does not wait. */
export const SOON = { timeout: 60_000, interval: 20 }
