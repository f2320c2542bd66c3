import { RECEIVER_TIMEOUT_MS } from './schedule.ts'
import { signatureHeaders } from './sign.ts'
import type { Outcome } from './store.ts'

const READ_MAX_BYTES = 8 * 1024
const EXCERPT_MAX_BYTES = 2 * 1024

export interface Envelope {
  id: string
  type: string
  created_at: string
  data: Record<string, unknown>
}

/**
 * Posts an event to a platform, signed with a fresh timestamp. Redirects are not followed.
 *
 * @param url the platform's webhook URL
 * @param secret its `whsec_…` secret
 * @param now the start of this attempt
 * @returns what came of it; never rejects
 */
export async function send(url: string, secret: string, envelope: Envelope, now: Date): Promise<Outcome> {
  const body = JSON.stringify(envelope)
  const signed = await signatureHeaders(secret, envelope, body, now)
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
    const response_excerpt = await excerpt(response).catch(() => '') // the status is the answer
    return {
      duration_ms: Date.now() - began,
      response_status: response.status,
      error: null,
      response_excerpt,
    }
  } catch {
    const error = signal.aborted ? 'timeout' : 'connection failed'
    return { duration_ms: Date.now() - began, response_status: null, error, response_excerpt: null }
  }
}

async function excerpt(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ''
  const chunks: Uint8Array[] = []
  for (let bytes = 0; bytes < READ_MAX_BYTES; ) {
    const { done, value } = await reader.read()
    if (done) break
    chunks.push(value)
    bytes += value.byteLength
  }
  await reader.cancel().catch(() => undefined)
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0))
  let offset = 0
  for (const chunk of chunks) {
    all.set(chunk, offset)
    offset += chunk.byteLength
  }
  return new TextDecoder().decode(all.subarray(0, EXCERPT_MAX_BYTES)).replaceAll('\0', '\uFFFD')
}
