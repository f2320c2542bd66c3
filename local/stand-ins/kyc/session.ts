import { randomInt } from 'node:crypto'
import type { Session } from './store.ts'

/** Reasons for which a check fails, with what Stripe says to the person. */
export const REFUSALS = {
  document_expired: 'The provided identity document has expired.',
  document_unverified_other: 'The document could not be verified.',
  document_type_not_supported: 'The provided document type is not supported.',
  selfie_face_mismatch: 'The face in the selfie does not match the face on the document.',
  consent_declined: 'The person declined to be verified.',
  under_supported_age: 'The person is under the supported age.',
} as const satisfies Record<string, string>

export type Refusal = keyof typeof REFUSALS

/** What a person may decide on the page. */
export type Decision = { outcome: 'approve' } | { outcome: 'refuse'; code: Refusal }

const ID_LENGTH = 24
const TOKEN_LENGTH = 40
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const randomText = (length: number) =>
  Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')

/** An id of Stripe's form, for example `vs_1NuNAILkdIwHu7ixh7OtGMLw`. */
export const newId = (prefix: string) => `${prefix}_${randomText(ID_LENGTH)}`

/** A session of these parameters, waiting for the person. */
export function newSession(
  given: Pick<Session, 'client_reference_id' | 'metadata' | 'options' | 'return_url' | 'type'>,
): Session {
  const id = newId('vs')
  return {
    ...given,
    id,
    client_secret: `${id}_secret_${randomText(ID_LENGTH)}`,
    created: Math.floor(Date.now() / 1000),
    status: 'requires_input',
    last_error: null,
    last_verification_report: null,
    token: randomText(TOKEN_LENGTH),
  }
}

/** The person has handed something in: the session is taken from them. */
export function submit(session: Session): void {
  session.status = 'processing'
  session.last_error = null
}

/** The checks of what was handed in have ended; after a refusal a new link lets the person try again. */
export function decide(session: Session, decision: Decision): void {
  session.last_verification_report = newId('vr')
  if (decision.outcome === 'approve') {
    session.status = 'verified'
    return
  }
  session.status = 'requires_input'
  session.last_error = { code: decision.code, reason: REFUSALS[decision.code] }
  session.token = randomText(TOKEN_LENGTH)
}

/** Makes an open session unusable; false when it is not open. */
export function cancel(session: Session): boolean {
  if (session.status !== 'requires_input') return false
  session.status = 'canceled'
  return true
}

/** The person's page of a session. */
export const linkOf = (origin: string, { token }: Session) => `${origin}/start/${token}`

/**
 * A session as Stripe's API shows it.
 *
 * @param origin of the person's page; null leaves out what lets somebody act for the person, as events do
 *
 * Source: https://docs.stripe.com/api/identity/verification_sessions/object
 */
export function toWire(session: Session, origin: string | null) {
  const { token: _token, return_url: _returnUrl, client_secret, ...shown } = session
  const open = session.status === 'requires_input' && origin !== null
  return {
    ...shown,
    object: 'identity.verification_session',
    client_secret: open ? client_secret : null,
    livemode: false,
    redaction: null,
    related_customer: null,
    related_customer_account: null,
    url: open ? linkOf(origin, session) : null,
    verified_outputs: null,
  }
}
