import { type LiveSecrets, signatureHeaders } from '../../lib/webhook-signature.ts'
import { joinBytes } from '../../transparency/bytes.ts'
import { RECEIVER_TIMEOUT_MS } from './limits.ts'
import type { Outcome } from './verdict.ts'

const READ_MAX_BYTES = 8 * 1024
const EXCERPT_MAX_BYTES = 2 * 1024

interface Envelope {
  id: string
  type: string
  created_at: string
  data: Record<string, unknown>
}

/**
 * Posts an event to a platform, signed with the current timestamp. Redirects are not followed. At most `READ_MAX_BYTES` of
 * the response body are read; if they do not arrive in time, the attempt has timed out.
 *
 * @param url the platform's webhook URL
 * @param secrets its `whsec_…` secrets
 * @param now the start of this attempt
 * @returns the outcome; never rejects
 */
export async function send(
  url: string,
  secrets: LiveSecrets,
  envelope: Envelope,
  now: Date,
): Promise<Outcome> {
  const body = JSON.stringify(envelope)
  const signed = await signatureHeaders(secrets, envelope, body, now)
  const began = Date.now()
  const signal = AbortSignal.timeout(RECEIVER_TIMEOUT_MS)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'User-Agent': 'agent-registry-webhooks/1.0', ...signed },
      body,
      redirect: 'manual',
      signal,
    })
    const response_excerpt = await excerpt(response)
    return {
      duration_ms: Date.now() - began,
      response_status: response.status,
      error: signal.aborted ? 'timeout' : null,
      response_excerpt,
    }
  } catch {
    const error = signal.aborted ? 'timeout' : 'connection failed'
    return { duration_ms: Date.now() - began, response_status: null, error, response_excerpt: null }
  }
}

/** The start of a body, even if it is incomplete: the status alone decides about success. */
async function excerpt(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ''
  const chunks: Uint8Array[] = []
  try {
    for (let bytes = 0; bytes < READ_MAX_BYTES; ) {
      const { done, value } = await reader.read()
      if (done) break
      chunks.push(value)
      bytes += value.byteLength
    }
    await reader.cancel()
  } catch {}
  const start = joinBytes(...chunks).subarray(0, EXCERPT_MAX_BYTES)
  return new TextDecoder().decode(start).replaceAll('\0', '\uFFFD')
}
