import type { Ctx } from '../../http/context.ts'

/** The outcome of a message: done, or QStash calls again after `retryAfterSeconds`. */
export type RelayResult = { done: true } | { done: false; retryAfterSeconds: number }

export const DONE: RelayResult = { done: true }

/** The response to QStash, which calls again after any status but 2xx, at the time in `Retry-After`. */
export function toRelayResponse(c: Ctx, result: RelayResult): Response {
  if (result.done) return c.json({ done: true })
  return c.json({ done: false }, 503, { 'Retry-After': String(result.retryAfterSeconds) })
}
