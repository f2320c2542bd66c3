import { messageOf } from '../failure.ts'
import { type Envelope, signedHeaders } from './sign.ts'

const TIMEOUT_MS = 30_000 // as the registry waits

/** What came of a webhook: a status, or why there was none. */
export interface Forwarded {
  status: number | null
  error: string | null
  duration_ms: number
}

/**
 * Sends an event to a receiver on this machine, signed as the registry signs.
 *
 * @returns what came of it; a receiver that is away is no error
 */
export async function forward(url: string, secret: string, event: Envelope): Promise<Forwarded> {
  const body = JSON.stringify(event)
  const headers = signedHeaders(secret, event, body, new Date())
  const begun = performance.now()
  const took = () => Math.round(performance.now() - begun)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await response.body?.cancel()
    return { status: response.status, error: null, duration_ms: took() }
  } catch (error) {
    return { status: null, error: messageOf(error), duration_ms: took() }
  }
}

/** Whether the registry would take the response for a success. */
export function isDelivered({ status }: Forwarded): boolean {
  return status !== null && status >= 200 && status < 300
}
