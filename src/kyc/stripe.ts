import type Stripe from 'stripe'
import type { Env } from '../env.ts'
import { ApiError } from '../errors.ts'
import { log } from '../lib/log.ts'
import type { KycProvider, ProviderSession } from './provider.ts'

const RETRIES = 1
const ENDINGS: readonly string[] = [
  'identity.verification_session.verified',
  'identity.verification_session.requires_input',
  'identity.verification_session.canceled',
]

type Settings = Pick<Env, 'STRIPE_API_URL' | 'STRIPE_SECRET_KEY' | 'STRIPE_WEBHOOK_SECRET'>
type Session = Stripe.Identity.VerificationSession

/**
 * Stripe Identity: a document check with a matching selfie.
 *
 * @param signal the request's deadline
 *
 * Source: https://docs.stripe.com/identity/how-sessions-work
 */
export function stripeIdentity(env: Settings, signal: AbortSignal): KycProvider {
  return {
    async create(operatorId, requestKey) {
      const { identity } = await connect(env, signal)
      const session = identity.verificationSessions.create(
        {
          type: 'document',
          client_reference_id: operatorId,
          options: { document: { require_matching_selfie: true } },
        },
        { idempotencyKey: requestKey },
      )
      return toSession(await session.catch(unavailable))
    },
    async find(id) {
      const { identity } = await connect(env, signal)
      const session = await identity.verificationSessions.retrieve(id).catch((error) => {
        if (isMissing(error)) return null
        throw unavailable(error)
      })
      return session ? toSession(session) : { id, state: 'canceled', url: null, reason: null }
    },
    async cancel(id) {
      const { identity } = await connect(env, signal)
      await identity.verificationSessions.cancel(id).catch((error) => {
        if (!isRefusal(error)) throw unavailable(error)
      })
    },
    async readEvent(body, signature) {
      const { default: Sdk } = await load()
      const crypto = Sdk.createSubtleCryptoProvider()
      const event = await Sdk.webhooks
        .constructEventAsync(body, signature, env.STRIPE_WEBHOOK_SECRET, undefined, crypto)
        .catch(() => null)
      if (!event) return 'forged'
      if (!ENDINGS.includes(event.type)) return 'other'
      return { id: event.id, session: toSession(event.data.object as Session) }
    },
  }
}

/** Only KYC needs the package, so that an isolate evaluates it at its first such call and not at its start. */
function load() {
  return import('stripe')
}

async function connect(env: Settings, signal: AbortSignal): Promise<Stripe> {
  const { default: Sdk } = await load()
  const { protocol, hostname, port } = new URL(env.STRIPE_API_URL)
  const insecure = protocol === 'http:'
  const withDeadline = (url: string | URL | Request, init: RequestInit = {}) =>
    fetch(url, { ...init, signal: AbortSignal.any(init.signal ? [signal, init.signal] : [signal]) })
  return new Sdk(env.STRIPE_SECRET_KEY, {
    protocol: insecure ? 'http' : 'https',
    host: hostname,
    port: port || (insecure ? '80' : '443'),
    httpClient: Sdk.createFetchHttpClient(withDeadline),
    maxNetworkRetries: RETRIES,
    telemetry: false,
  })
}

function toSession({ id, status, url, last_error }: Session): ProviderSession {
  const reason = last_error?.reason ?? last_error?.code ?? null
  if (status !== 'requires_input') return { id, state: stateOf(status), url: null, reason: null }
  return last_error ? { id, state: 'failed', url: null, reason } : { id, state: 'open', url, reason: null }
}

/** A status that this version does not know is not an end. */
function stateOf(status: string): 'processing' | 'verified' | 'canceled' {
  return status === 'verified' || status === 'canceled' ? status : 'processing'
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'resource_missing'
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'statusCode' in error && error.statusCode === 400
}

/** Stripe's message may name keys and people: only its kind goes to the log. */
function unavailable(error: object): never {
  const { type, code, statusCode, requestId } = error as Partial<Record<string, unknown>>
  log('error', 'kyc_provider_failed', { type, code, status: statusCode, provider_request: requestId })
  throw new ApiError('SERVICE_UNAVAILABLE', 'the identity provider does not answer, try again shortly', {
    'Retry-After': '5',
  })
}
