import type { Verdict } from './limits.ts'

/**
 * Remembers who is over a limit, each until its reset. When it is full the oldest goes, who is then simply counted
 * again.
 *
 * @param max how many at most
 */
export function blocklist(max: number) {
  const verdicts = new Map<string, Verdict>()
  return {
    /** The verdict on somebody who is blocked at a time, in Unix milliseconds. */
    find(key: string, now: number): Verdict | undefined {
      const known = verdicts.get(key)
      return known && known.reset > now ? known : undefined
    },
    add(key: string, verdict: Verdict): void {
      if (verdicts.size >= max) verdicts.delete(verdicts.keys().next().value ?? '')
      verdicts.delete(key)
      verdicts.set(key, verdict)
    },
  }
}
