import { signatureHeaders } from '../../../../src/lib/webhook-signature.ts'
import { messageOf } from '../failure.ts'
import { plain } from '../output.ts'

const TIMEOUT_MS = 30_000 // same as the registry
const REASON_BYTES = 200

/** The result of a webhook: a status, or the error. */
export interface Forwarded {
  status: number | null
  error: string | null
  /** The beginning of the body of a rejection; null if it was accepted, or without a body. */
  reason: string | null
  duration_ms: number
}

/**
 * Sends an event to a receiver on this machine, signed like those of the registry.
 *
 * @returns the result; does not reject if the receiver is down
 */
export async function forward(
  url: string,
  secret: string,
  event: { id: string; type: string },
): Promise<Forwarded> {
  const body = JSON.stringify(event)
  const signature = await signatureHeaders([secret], event, body, new Date())
  const begun = performance.now()
  const took = () => Math.round(performance.now() - begun)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...signature },
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

/** The first line of a rejection; does not read a longer body completely. */
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
    // Only the status matters.
  }
  return text.slice(0, REASON_BYTES).trim().split('\n')[0] || null
}

/** Whether the registry would count the response as a success. */
export function isDelivered({ status }: Forwarded): boolean {
  return status !== null && status >= 200 && status < 300
}

/** A short description of the result: `204`, `401 signature_mismatch`, or the error. */
export function describeForwarded({ status, error, reason }: Forwarded): string {
  return error ?? [String(status), ...(reason ? [plain(reason)] : [])].join(' ')
}
