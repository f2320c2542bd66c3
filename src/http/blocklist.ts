import type { RateLimit } from './limits.ts'

/**
 * Remembers who is over a limit, each until its reset. When it is full the oldest goes, who is then simply counted
 * again.
 *
 * @param max how many at most
 */
export function blocklist(max: number) {
  const blocked = new Map<string, RateLimit>()
  return {
    /** The rate limit of somebody who is blocked at a time, in Unix milliseconds. */
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
