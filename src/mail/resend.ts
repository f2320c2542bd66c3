import type { Env } from '../env.ts'
import { readAtMost } from '../lib/read-at-most.ts'
import { PROVIDER_TIMEOUT_MS } from './schedule.ts'
import type { ProviderResponse } from './verdict.ts'

const API_URL = 'https://api.resend.com'
const READ_MAX_BYTES = 8 * 1024
const ERROR_NAME = /^[a-z_]{1,50}$/
const OF_ADDRESS = /\bto\b\W{0,2} field/i

/** A mail as it goes out. */
export interface Mail {
  to: string
  subject: string
  text: string
  html: string
  headers: Record<string, string>
}

/**
 * Hands a mail to Resend. Repeated with the same id within 24 hours, it is sent once.
 *
 * @param id the idempotency key
 * @returns what came of it; never rejects
 *
 * Source: https://resend.com/docs/api-reference/emails/send-email,
 * https://resend.com/docs/dashboard/emails/idempotency-keys
 */
export async function sendMail(env: Env, id: string, { to, ...mail }: Mail): Promise<ProviderResponse> {
  if (!env.MAIL_API_KEY || !env.MAIL_FROM)
    return { status: null, error: 'not configured', isOfAddress: false }
  const signal = AbortSignal.timeout(PROVIDER_TIMEOUT_MS)
  try {
    const response = await fetch(new URL('/emails', env.MAIL_API_URL ?? API_URL), {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${env.MAIL_API_KEY}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': id,
        'User-Agent': 'agent-registry/1.0', // without one Resend rejects the request
      },
      body: JSON.stringify({ from: env.MAIL_FROM, to: [to], ...mail }),
      redirect: 'manual',
      signal,
    })
    const { status, ok } = response
    const bytes = await readAtMost(response, READ_MAX_BYTES).catch(() => null)
    return ok ? { status, error: null, isOfAddress: false } : { status, ...read(bytes) }
  } catch {
    return { status: null, error: signal.aborted ? 'timeout' : 'connection failed', isOfAddress: false }
  }
}

/** The message of an error may name the address: of it is kept only what it is about. */
function read(bytes: Uint8Array | null): Omit<ProviderResponse, 'status'> {
  const { name, message } = parse(bytes)
  const error = typeof name === 'string' && ERROR_NAME.test(name) ? name : null
  return { error, isOfAddress: error === 'invalid_to_address' || OF_ADDRESS.test(String(message)) }
}

function parse(bytes: Uint8Array | null): { name?: unknown; message?: unknown } {
  try {
    return JSON.parse(new TextDecoder().decode(bytes ?? undefined)) ?? {}
  } catch {
    return {}
  }
}
