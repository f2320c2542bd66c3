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
   * @param requestKey the same key, within a day, answers the same session
   */
  create(operatorId: string, requestKey: string): Promise<ProviderSession>
  /** The session as it is now; one that the provider does not know reads as canceled. */
  find(id: string): Promise<ProviderSession>
  /** Makes a session unusable; one that has ended or is being processed stays as it is. */
  cancel(id: string): Promise<void>
  /** Reads a webhook: `forged` when its signature is wrong or too old, `other` when it is about something else. */
  readEvent(body: string, signature: string): Promise<ProviderEvent | 'forged' | 'other'>
}
