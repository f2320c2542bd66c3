import { ApiError } from '../errors.ts'
import type { Person } from './person.ts'

/** A person's way through the checks of an identity provider. */
export interface ProviderSession {
  id: string
  state: 'open' | 'processing' | 'verified' | 'failed' | 'canceled'
  /** Where the person goes; null unless the session is open. Works once, so it is asked for and never stored. */
  url: string | null
  /** Why it failed, in the provider's words. */
  reason: string | null
}

/** What a genuine webhook of the provider tells. */
export interface ProviderEvent {
  id: string
  session: ProviderSession
}

/** What KYC needs of an identity provider; each call is one network step, and rejects with 503 while it is away. */
export interface KycProvider {
  /**
   * Opens a session.
   *
   * @param requestKey the same key, within a day, returns the same session
   * @returns `faulty` when the provider has responded to this key with a fault of its own, and may do so all day
   */
  create(operatorId: string, requestKey: string): Promise<ProviderSession | 'faulty'>
  /** The session as it is now; one that the provider does not know reads as canceled. */
  find(id: string): Promise<ProviderSession>
  /**
   * Whom the document of a verified session names; null when the provider has deleted it, `rejected` when it does not let
   * us read it: our key may not, or it is too old.
   */
  readPerson(id: string): Promise<Person | null | 'rejected'>
  /** Makes a session unusable; one that has ended or is being processed stays as it is. */
  cancel(id: string): Promise<void>
  /** Reads a webhook: `forged` when its signature is wrong or too old, `other` when it is about something else. */
  readEvent(body: string, signature: string): Promise<ProviderEvent | 'forged' | 'other'>
}

/** The error for a call for which the provider is needed, and is away. */
export function providerAway(): ApiError {
  const message = 'the identity verification provider is not responding; try again shortly'
  return new ApiError('SERVICE_UNAVAILABLE', message, { 'Retry-After': '5' })
}
