import { verifyAgent } from '@agentreg/verify'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

const BASE = 'https://registry.example'
const REG = 'REG-2026-0001-0042-U'
const LONG_ENOUGH_MS = 3_600_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A registry that always returns 429. */
const busy = (retryAfter: string) =>
  vi.fn(async () => new Response('', { status: 429, headers: { 'Retry-After': retryAfter } }))

/** How long a verification takes, in seconds of the fake clock. */
async function endOf(work: Promise<unknown>): Promise<number> {
  const begun = Date.now()
  const ended = work.then(() => (Date.now() - begun) / 1000)
  await vi.advanceTimersByTimeAsync(LONG_ENOUGH_MS)
  return ended
}

it.each([
  ['120 seconds', '50', undefined, 100],
  ['maxWaitSeconds', '20', 65, 60],
  ['0 seconds', '20', 0, 0],
  ['its own pauses, for an invalid Retry-After,', 'soon', 12, 10],
  ['its own pauses, for a negative Retry-After,', '-50', 12, 10],
  ['0 seconds, if the Retry-After is longer than the maximum,', '121', undefined, 0],
])(
  'waits in total at most %s while the registry is busy',
  async (_, retryAfter, maxWaitSeconds, expected) => {
    const options = { fetch: busy(retryAfter), ...(maxWaitSeconds !== undefined && { maxWaitSeconds }) }
    const verifying = verifyAgent(BASE, REG, options)
    expect(await endOf(verifying)).toBe(expected)
    expect((await verifying).verdict).toBe('incomplete')
  },
)

it('ends at once when the caller aborts during a pause', async () => {
  const abort = new AbortController()
  const fetch = busy('30')
  const verifying = verifyAgent(BASE, REG, { fetch, signal: abort.signal })
  const failing = expect(verifying).rejects.toThrow('enough')
  await vi.advanceTimersByTimeAsync(1000)
  expect(fetch).toHaveBeenCalledTimes(1)
  abort.abort(new Error('enough'))
  await failing
  expect(vi.getTimerCount()).toBe(0)
})
