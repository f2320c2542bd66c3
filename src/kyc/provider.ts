import { ApiError } from '../errors.ts'
import type { Person } from './person.ts'

/** A verification session at the identity provider. */
export interface ProviderSession {
  id: string
  state: 'open' | 'processing' | 'verified' | 'failed' | 'canceled'
  /** The page for the person; null unless the session is open. Works only once, so it is never stored. */
  url: string | null
  /** Why it failed, as stated by the provider. */
  reason: string | null
}

/** An authenticated webhook event of the provider. */
interface ProviderEvent {
  id: string
  session: ProviderSession
}

/** An identity provider. Each call is one network step, and throws 503 if the provider is unavailable. */
export interface KycProvider {
  /**
   * Opens a session.
   *
   * @param requestKey idempotency key: the same key returns the same session for a day
   * @returns `faulty` if the provider responded with an internal error, which it may repeat for this key for a day
   */
  create(operatorId: string, requestKey: string): Promise<ProviderSession | 'faulty'>
  /** The current state of a session; one that the provider does not know counts as canceled. */
  find(id: string): Promise<ProviderSession>
  /**
   * The person named by the document of a verified session; null if the provider has deleted the document; `rejected` if
   * it cannot be read because the key lacks the permission or the document is too old.
   */
  readPerson(id: string): Promise<Person | null | 'rejected'>
  /** Cancels a session; one that has ended or is being processed is left unchanged. */
  cancel(id: string): Promise<void>
  /** Reads a webhook: `forged` if its signature is invalid or too old, `other` if it does not end a session. */
  readEvent(body: string, signature: string): Promise<ProviderEvent | 'forged' | 'other'>
}

/** The error for a call that needs the provider while it is unavailable. */
export function providerAway(): ApiError {
  const message = 'the identity verification provider is not responding; try again shortly'
  return new ApiError('SERVICE_UNAVAILABLE', message, { 'Retry-After': '5' })
}
