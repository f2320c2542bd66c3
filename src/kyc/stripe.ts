import type Stripe from 'stripe'
import type { Env } from '../env.ts'
import { unavailable } from '../errors.ts'
import { hasSignature, utf8 } from '../lib/crypto.ts'
import { toHex } from '../lib/ids.ts'
import { log } from '../lib/log.ts'
import type { Person } from './person.ts'

/** The Stripe API version; the webhook endpoint at Stripe must use the same. */
export const API_VERSION = '2026-10-28.endive'
const SESSIONS = '/v1/identity/verification_sessions'
/** The page that Stripe redirects the person to afterward; it shows the state of the check. */
const RETURN_PATH = '/console/account'
const RETRY_MS = 500
const IN_USE = 409 // another call with the same idempotency key is in progress
const FAULT = 500 // stored under the idempotency key for a day, as any response of a call that was executed
const UNREADABLE = [400, 403]
const OUTPUTS = '?expand[]=verified_outputs&expand[]=verified_outputs.dob'
const SIGNATURE_TOLERANCE_SECONDS = 300
const ENDINGS: readonly string[] = [
  'identity.verification_session.verified',
  'identity.verification_session.requires_input',
  'identity.verification_session.canceled',
] satisfies Stripe.Event['type'][]

type Settings = Pick<Env, 'BASE_URL' | 'STRIPE_API_URL' | 'STRIPE_SECRET_KEY' | 'STRIPE_WEBHOOK_SECRET'>
type Session = Pick<
  Stripe.Identity.VerificationSession,
  'id' | 'status' | 'url' | 'last_error' | 'redaction' | 'verified_outputs'
>

/** A verification session at the provider. */
export interface ProviderSession {
  id: string
  state: 'open' | 'processing' | 'verified' | 'failed' | 'canceled'
  /** The page for the person; null unless the session is open. Works only once, so it is never stored. */
  url: string | null
  /** Why it failed, as stated by the provider. */
  reason: string | null
}

export type KycProvider = ReturnType<typeof stripeIdentity>

/**
 * Stripe Identity: a document check with a matching selfie. Uses only the types of the `stripe` package: its code would be a
 * quarter of the Worker, for four calls and a signature. Tests compare the stand-in of Stripe with the package.
 *
 * Each call is one network step, and throws 503 if Stripe is unavailable.
 *
 * @param signal the request's deadline
 *
 * Source: https://docs.stripe.com/api/identity/verification_sessions, https://docs.stripe.com/webhooks#verify-manually,
 * https://docs.stripe.com/identity/access-verification-results
 */
export function stripeIdentity(env: Settings, signal: AbortSignal) {
  const send = (method: string, path: string, headers: Record<string, string> = {}, body?: URLSearchParams) =>
    call(env, signal, path, { method, headers, ...(body && { body }) })
  return {
    /**
     * Opens a session. The same `requestKey` returns the same session for a day; or `faulty`, if Stripe responded with an
     * internal error, which it may repeat for this key for a day.
     */
    async create(operatorId: string, requestKey: string): Promise<ProviderSession | 'faulty'> {
      const form = new URLSearchParams({
        type: 'document',
        client_reference_id: operatorId,
        'options[document][require_matching_selfie]': 'true',
        return_url: env.BASE_URL + RETURN_PATH,
      })
      const reply = await send('POST', SESSIONS, { 'Idempotency-Key': requestKey }, form)
      if (reply.ok || reply.status !== FAULT) return toSession(required(reply))
      report(reply)
      return 'faulty'
    },

    /** The current state of a session; one that Stripe does not know counts as canceled. */
    async find(id: string): Promise<ProviderSession> {
      const reply = await send('GET', pathOf(id))
      if (!reply.ok && reply.code === 'resource_missing') {
        return { id, state: 'canceled', url: null, reason: null }
      }
      return toSession(required(reply))
    },

    /**
     * The person named by the document of a verified session; null if Stripe has deleted the document; `rejected` if it
     * cannot be read because the key lacks the permission or the document is too old.
     */
    async readPerson(id: string): Promise<Person | null | 'rejected'> {
      const reply = await send('GET', pathOf(id) + OUTPUTS)
      if (reply.ok || !UNREADABLE.includes(reply.status ?? 0)) return toPerson(required(reply))
      report(reply)
      return 'rejected'
    },

    /** Cancels a session; one that has ended or is being processed is left unchanged. */
    async cancel(id: string): Promise<void> {
      const reply = await send('POST', `${pathOf(id)}/cancel`)
      if (reply.ok || reply.status !== 400) required(reply)
    },

    /** Reads a webhook: `forged` if its signature is invalid or too old, `other` if it does not end a session. */
    async readEvent(body: string, signature: string) {
      if (!(await isSigned(env.STRIPE_WEBHOOK_SECRET, body, signature))) return 'forged'
      const event = JSON.parse(body) as { type: string; data: { object: Session } }
      return ENDINGS.includes(event.type) ? toSession(event.data.object) : 'other'
    },
  }
}

/** The error for a call that needs the provider while it is unavailable. */
export function providerAway() {
  return unavailable('the identity verification provider is not responding; try again shortly')
}

interface Failure {
  ok: false
  /** Undefined if there was no complete response. */
  status?: number | undefined
  type?: string | undefined
  code?: string | undefined
  /** The request id, for Stripe's support. */
  request?: string | undefined
}

type StripeResponse = { ok: true; session: Session } | Failure

/**
 * Calls Stripe; retries once if there was no complete response, on a 5xx status, or while the idempotency key is in use. The
 * key prevents a retry from creating a second session.
 */
async function call(
  env: Settings,
  signal: AbortSignal,
  path: string,
  init: RequestInit,
): Promise<StripeResponse> {
  const first = await tryCall(env, signal, path, init)
  if (first.ok || signal.aborted || !isTransient(first)) return first
  await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  return signal.aborted ? first : tryCall(env, signal, path, init)
}

function isTransient({ status }: Failure): boolean {
  return status === undefined || status === IN_USE || status >= 500
}

/** One attempt; never rejects. */
async function tryCall(
  env: Settings,
  signal: AbortSignal,
  path: string,
  init: RequestInit,
): Promise<StripeResponse> {
  try {
    const response = await fetch(new URL(path, env.STRIPE_API_URL), {
      ...init,
      signal,
      headers: {
        ...init.headers,
        Authorization: `Bearer ${env.STRIPE_SECRET_KEY}`,
        'Stripe-Version': API_VERSION,
      },
    })
    const body: unknown = await response.json()
    if (response.ok) return { ok: true, session: body as Session } // guaranteed by the API version in the header
    const { type, code } = (body as { error?: Pick<Failure, 'type' | 'code'> } | null)?.error ?? {}
    const request = response.headers.get('request-id') ?? undefined
    return { ok: false, status: response.status, type, code, request }
  } catch (error) {
    return { ok: false, type: error instanceof Error ? error.name : typeof error }
  }
}

/** Logs only the kind of an error: Stripe's message may contain keys and names. */
function report({ type, code, status, request }: Failure): void {
  log('error', 'kyc_provider_failed', { type, code, status, provider_request: request })
}

function required(reply: StripeResponse): Session {
  if (reply.ok) return reply.session
  report(reply)
  throw providerAway()
}

/**
 * Whether Stripe signed a body at most five minutes ago.
 *
 * @param header `Stripe-Signature`: `t=<Unix seconds>,v1=<hex>`, with one `v1` per active secret, at most eight
 */
async function isSigned(secret: string, body: string, header: string): Promise<boolean> {
  const parts = header.split(',').map((part) => part.split('=', 2))
  const timestamp = parts.find(([name]) => name === 't')?.[1] ?? ''
  const age = Date.now() / 1000 - Number(timestamp)
  if (!/^\d{1,12}$/.test(timestamp) || age > SIGNATURE_TOLERANCE_SECONDS) return false
  const signatures = parts.flatMap(([name, value = '']) => (name === 'v1' ? value : []))
  return hasSignature(signatures, utf8(secret), `${timestamp}.${body}`, toHex)
}

const pathOf = (id: string) => `${SESSIONS}/${encodeURIComponent(id)}`

function toSession({ id, status, url, last_error }: Session): ProviderSession {
  const reason = last_error?.reason ?? last_error?.code ?? null
  if (status !== 'requires_input') return { id, state: stateOf(status), url: null, reason: null }
  return last_error ? { id, state: 'failed', url: null, reason } : { id, state: 'open', url, reason: null }
}

/** The person in the outputs of a session; null if Stripe has redacted them (their values are then `[redacted]`). */
function toPerson({ redaction, verified_outputs: outputs }: Session): Person | null {
  if (redaction || !outputs) return null
  const { first_name, last_name, dob } = outputs
  const { year, month, day } = dob ?? {}
  const birth_date = year && month && day ? [pad(year, 4), pad(month, 2), pad(day, 2)].join('-') : null
  return { first_name, last_name, birth_date }
}

const pad = (number: number, digits: number) => String(number).padStart(digits, '0')

/** Unknown statuses count as processing: they do not end a check. */
function stateOf(status: string): 'processing' | 'verified' | 'canceled' {
  return status === 'verified' || status === 'canceled' ? status : 'processing'
}
