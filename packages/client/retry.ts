import { pause, retryAfterMs } from '../verify/wait.ts'

const MAX_RETRIES = 2
const TIMEOUT_MS = 30_000
const MAX_WAIT_SECONDS = 60 // the window of the request limits
const PAUSE_MS = 500 // doubled each time
/** RFC 9110, section 9.2.2. */
const IDEMPOTENT = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']
export const IDEMPOTENCY_KEY = 'Idempotency-Key'
/** The writes that accept an Idempotency-Key, according to the document. */
export const KEYED_PATHS: readonly string[] = ['/agents', '/activity/report', '/activity/report/batch']

export type Fetch = (request: Request) => Promise<Response>

export interface RetryOptions {
  /** Maximum number of retries per request; default 2. */
  maxRetries?: number
  /** Maximum `Retry-After` to wait for; a response with a longer one is returned. Default 60. */
  maxWaitSeconds?: number
  /** Timeout of each attempt, until the response starts; default 30 seconds. */
  timeoutMs?: number
}

/**
 * Retries requests: after 429; also after 503, a timeout or a network failure if the request is safe to repeat: if its
 * method is idempotent or it has an Idempotency-Key.
 *
 * @param fetch sends a request
 * @returns like `fetch`: the last response, or the error of the last attempt
 */
export function withRetries(
  fetch: Fetch,
  { maxRetries = MAX_RETRIES, maxWaitSeconds = MAX_WAIT_SECONDS, timeoutMs = TIMEOUT_MS }: RetryOptions,
): Fetch {
  return async (request) => {
    const { signal } = request
    const isRepeatable = IDEMPOTENT.includes(request.method) || request.headers.has(IDEMPOTENCY_KEY)
    for (let tried = 0; ; tried++) {
      const isLast = tried >= maxRetries
      let waitMs = PAUSE_MS * 2 ** tried * (0.5 + Math.random() / 2)
      try {
        const response = await sendOnce(fetch, isLast ? request : request.clone(), timeoutMs)
        const isBusy = response.status === 429 || (response.status === 503 && isRepeatable)
        if (!isBusy || isLast) return response
        const requested = retryAfterMs(response, Date.now())
        if (requested !== null && requested > 1000 * maxWaitSeconds) return response
        waitMs = Math.max(waitMs, requested ?? 0)
        // Not awaited, as it would never resolve for a cloned response.
        response.body?.cancel().catch(() => {})
      } catch (error) {
        if (isLast || !isRepeatable || signal.aborted) throw error
      }
      await pause(waitMs, signal)
    }
  }
}

async function sendOnce(fetch: Fetch, request: Request, timeoutMs: number): Promise<Response> {
  const timeout = new AbortController()
  const timer = setTimeout(
    () => timeout.abort(new DOMException(`no response within ${timeoutMs} ms`, 'TimeoutError')),
    timeoutMs,
  )
  try {
    return await fetch(new Request(request, { signal: AbortSignal.any([request.signal, timeout.signal]) }))
  } finally {
    clearTimeout(timer)
  }
}
