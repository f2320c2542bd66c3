import { messageOf } from '../failure.ts'
import { plain } from '../output.ts'
import { type Envelope, signedHeaders } from './sign.ts'

const TIMEOUT_MS = 30_000 // as the registry waits
const REASON_BYTES = 200

/** What came of a webhook: a status, or why there was none. */
export interface Forwarded {
  status: number | null
  error: string | null
  /** The beginning of the text with which the receiver rejects it; null when it took it, or gave none. */
  reason: string | null
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
    const { status } = response
    return { status, error: null, reason: await reasonOf(response), duration_ms: took() }
  } catch (error) {
    return { status: null, error: messageOf(error), reason: null, duration_ms: took() }
  }
}

/** The first line of a rejection; a longer body is not read to its end. */
async function reasonOf({ ok, body }: Response): Promise<string | null> {
  let text = ''
  const decoder = new TextDecoder()
  try {
    if (!ok)
      for await (const chunk of body ?? []) {
        text += decoder.decode(chunk, { stream: true })
        if (text.length >= REASON_BYTES) break
      }
    else await body?.cancel()
  } catch {
    // The status is what counts.
  }
  return text.slice(0, REASON_BYTES).trim().split('\n')[0] || null
}

/** Whether the registry would take the response for a success. */
export function isDelivered({ status }: Forwarded): boolean {
  return status !== null && status >= 200 && status < 300
}

/** What came of a webhook in a few words: `204`, `401 signature_mismatch`, or why there was no status. */
export function describeForwarded({ status, error, reason }: Forwarded): string {
  return error ?? [String(status), ...(reason ? [plain(reason)] : [])].join(' ')
}
