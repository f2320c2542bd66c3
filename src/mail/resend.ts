import type { Env } from '../env.ts'
import { readAtMost } from '../lib/read-at-most.ts'
import { PROVIDER_TIMEOUT_MS } from './schedule.ts'
import type { MailText } from './text.ts'
import type { ProviderResponse } from './verdict.ts'

const API_URL = 'https://api.resend.com'
const READ_MAX_BYTES = 8 * 1024
const ERROR_NAME = /^[a-z_]{1,50}$/
const OF_ADDRESS = /\bto\b\W{0,2} field/i

/** A complete mail. */
interface Mail extends MailText {
  to: string
  headers: Record<string, string>
}

/**
 * Sends a mail through Resend. Calls with the same id within 24 hours send it once.
 *
 * @param id the idempotency key
 * @returns the provider's response, or the reason why there is none; never rejects
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
        'User-Agent': 'agent-registry/1.0', // required by Resend
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

/** The name of an error, and whether it is about the address. The message itself may contain the address and is dropped. */
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
