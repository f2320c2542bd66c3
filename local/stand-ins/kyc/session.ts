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

/** The person on a document; `birth_date` is `YYYY-MM-DD`. */
interface Person {
  first_name: string
  last_name: string
  birth_date: string
}

/** The outcome that a person chooses on the page. */
export type Decision = ({ outcome: 'approve' } & Person) | { outcome: 'reject'; code: Rejection }

/** The fields of a session that a request can expand; the second one requires a restricted key. */
export const EXPANDABLE = ['verified_outputs', 'verified_outputs.dob'] as const

export type Expansion = (typeof EXPANDABLE)[number]

const ID_LENGTH = 24
const TOKEN_LENGTH = 40
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const randomText = (length: number) =>
  Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')

/** An id of Stripe's form, for example `vs_1NuNAILkdIwHu7ixh7OtGMLw`. */
export const newId = (prefix: string) => `${prefix}_${randomText(ID_LENGTH)}`

/** Creates a session that waits for the person. */
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
    verified_outputs: null,
    token: randomText(TOKEN_LENGTH),
  }
}

/** The person submitted documents, which are now processed. */
export function submit(session: Session): void {
  session.status = 'processing'
  session.last_error = null
}

/** Sets the outcome of the checks; after a rejection, the person can try again with a new link. */
export function decide(session: Session, decision: Decision): void {
  session.last_verification_report = newId('vr')
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

/** The person's page of a session. */
export const linkOf = (origin: string, { token }: Session) => `${origin}/start/${token}`

/**
 * A session in Stripe's API.
 *
 * @param origin of the person's page; null, as in events, omits the secrets that allow acting for the person
 * @param expand fields that are included only on request
 *
 * Source: https://docs.stripe.com/api/identity/verification_sessions/object, https://docs.stripe.com/expand
 */
export function toWire(session: Session, origin: string | null, expand: readonly Expansion[] = []) {
  const { token: _token, return_url: _returnUrl, client_secret, verified_outputs, ...shown } = session
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
    ...(expand.length > 0 && { verified_outputs: verified_outputs && toOutputs(verified_outputs, expand) }),
  }
}

function toOutputs(
  { dob, ...named }: NonNullable<Session['verified_outputs']>,
  expand: readonly Expansion[],
) {
  const isRequested = expand.includes('verified_outputs.dob')
  return {
    address: null,
    email: null,
    ...named,
    id_number_type: null,
    phone: null,
    ...(isRequested && { dob }),
  }
}
