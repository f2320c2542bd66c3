/**
 * The time to wait that a response requests.
 *
 * @param now Unix milliseconds
 * @returns null without a valid `Retry-After`, which is seconds or a date (RFC 9110, section 10.2.3)
 */
export function retryAfterMs({ headers }: Response, now: number): number | null {
  const value = headers.get('Retry-After') ?? ''
  if (/^\d+$/.test(value)) return 1000 * Number(value)
  const date = value.endsWith('GMT') ? Date.parse(value) : Number.NaN // it also parses -50 as a year
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}

/** Resolves after a time, or rejects as soon as the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (!(ms > 0)) return
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
  signal.throwIfAborted()
}
