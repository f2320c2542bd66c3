import { createHmac } from 'node:crypto'
import { newId, toWire } from './session.ts'
import type { Event, Session, Store } from './store.ts'

const TIMEOUT_MS = 10_000
const FIRST_RETRY_MS = 1_000 // Stripe waits longer; here, a developer is waiting
const LAST_RETRY_MS = 60_000

/**
 * A `Stripe-Signature` header.
 *
 * @param seconds Unix time of the signature
 *
 * Source: https://docs.stripe.com/webhooks#verify-manually
 */
export function signature(secret: string, body: string, seconds: number): string {
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}

/**
 * Sends events until the receiver accepts them; each attempt has a new signature, and the delay doubles each time.
 *
 * @param url URL of the receiver, which may be down
 */
export function startWebhooks(store: Store, url: string) {
  const { state, save } = store
  const stopping = new AbortController()
  const timers = new Set<NodeJS.Timeout>()

  async function attempt(event: Event): Promise<void> {
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': signature(state.webhook_secret, event.body, Math.floor(Date.now() / 1000)),
    }
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(TIMEOUT_MS)])
    const response = await fetch(url, { method: 'POST', headers, body: event.body, signal }).catch(() => null)
    await response?.body?.cancel()
    if (stopping.signal.aborted) return
    event.attempts += 1
    if (response?.ok) state.undelivered = state.undelivered.filter(({ id }) => id !== event.id)
    else schedule(event, Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (event.attempts - 1)))
    save()
  }

  function schedule(event: Event, ms: number): void {
    const timer = setTimeout(() => {
      timers.delete(timer)
      void attempt(event)
    }, ms)
    timers.add(timer)
  }

  for (const event of state.undelivered) schedule(event, 0)

  return {
    /** Sends `identity.verification_session.<type>` with the session as it is now. */
    sendEvent(type: string, session: Session): void {
      const head = {
        id: newId('evt'),
        created: Math.floor(Date.now() / 1000),
        type: `identity.verification_session.${type}`,
      }
      const body = JSON.stringify({ ...head, object: 'event', data: { object: toWire(session, null) } })
      const event = { ...head, body, attempts: 0 }
      state.undelivered.push(event)
      schedule(event, 0)
    },
    stop(): void {
      stopping.abort()
      for (const timer of timers) clearTimeout(timer)
    },
  }
}
