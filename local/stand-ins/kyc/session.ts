import { randomInt } from 'node:crypto'
import type { Session } from './store.ts'

/** Reasons for which a check fails, with Stripe's message to the person. */
export const REJECTIONS = {
  document_expired: 'The provided identity document has expired.',
  document_unverified_other: 'The document could not be verified.',
  document_type_not_supported: 'The provided document type is not supported.',
  selfie_face_mismatch: 'The face in the selfie does not match the face on the document.',
  consent_declined: 'The person declined to be verified.',
  under_supported_age: 'The person is under the supported age.',
} as const satisfies Record<string, string>

export type Rejection = keyof typeof REJECTIONS

/** The outcome that a person chooses on the page; `birth_date` is `YYYY-MM-DD`. */
type Decision =
  | { outcome: 'approve'; first_name: string; last_name: string; birth_date: string }
  | { outcome: 'reject'; code: Rejection }

const ID_LENGTH = 24
const TOKEN_LENGTH = 40
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const randomText = (length: number) =>
  Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')

/** An id of Stripe's form, for example `vs_1NuNAILkdIwHu7ixh7OtGMLw`. */
export const newId = (prefix: string) => `${prefix}_${randomText(ID_LENGTH)}`

/**
 * Creates a session that waits for the person.
 *
 * @param request the Idempotency-Key; null without one
 */
export function newSession(form: URLSearchParams, request: string | null, origin: string): Session {
  const session: Session = {
    id: newId('vs'),
    client_reference_id: form.get('client_reference_id'),
    return_url: form.get('return_url'),
    created: Math.floor(Date.now() / 1000),
    status: 'requires_input',
    last_error: null,
    verified_outputs: null,
    token: randomText(TOKEN_LENGTH),
    request,
    response: {},
  }
  session.response = toWire(session, origin)
  return session
}

/** Sets the outcome of the checks; after a rejection, the person can try again with a new link. */
export function decide(session: Session, decision: Decision): void {
  if (decision.outcome === 'approve') {
    const { first_name, last_name, birth_date } = decision
    const [year = 0, month = 0, day = 0] = birth_date.split('-').map(Number)
    session.status = 'verified'
    session.verified_outputs = {
      first_name: first_name || null,
      last_name: last_name || null,
      dob: { day, month, year },
    }
    return
  }
  session.status = 'requires_input'
  session.last_error = { code: decision.code, reason: REJECTIONS[decision.code] }
  session.token = randomText(TOKEN_LENGTH)
}

/** Makes an open session unusable; false when it is not open. */
export function cancel(session: Session): boolean {
  if (session.status !== 'requires_input') return false
  session.status = 'canceled'
  return true
}

/**
 * A session in Stripe's API, without the person's data.
 *
 * @param origin of the person's page; null, as in events, omits its link, which allows acting for the person
 *
 * Source: https://docs.stripe.com/api/identity/verification_sessions/object
 */
export function toWire({ id, client_reference_id, created, ...session }: Session, origin: string | null) {
  const { status, last_error, token } = session
  const url = status === 'requires_input' && origin !== null ? `${origin}/start/${token}` : null
  const object = 'identity.verification_session'
  return { id, object, client_reference_id, created, status, last_error, redaction: null, url }
}
