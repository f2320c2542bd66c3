import type { RateLimit } from './limits.ts'

/**
 * Remembers callers that are over a limit, each until its reset. When it is full, the oldest entry is dropped and its
 * caller is counted again.
 *
 * @param max maximum number of entries
 */
export function blocklist(max: number) {
  const blocked = new Map<string, RateLimit>()
  return {
    /** The rate limit of a caller that is blocked at the time `now`, in Unix milliseconds. */
    find(key: string, now: number): RateLimit | undefined {
      const known = blocked.get(key)
      return known && known.reset > now ? known : undefined
    },
    add(key: string, rateLimit: RateLimit): void {
      if (blocked.size >= max) blocked.delete(blocked.keys().next().value ?? '')
      blocked.delete(key)
      blocked.set(key, rateLimit)
    },
  }
}
