import { fromFetch, serveAgain } from '../serve.ts'
import { stripeApi } from './api.ts'
import { checkPages } from './pages.ts'
import { openStore } from './store.ts'
import { startWebhooks } from './webhooks.ts'

interface Options {
  /** Data folder: secrets, sessions, and undelivered webhooks (`kyc.json`). */
  dir: string
  /** The endpoint of its webhooks. */
  webhookUrl: string
}

export interface Kyc {
  /** Stripe's API is below `/v1`. */
  url: string
  secretKey: string
  /** A restricted key that may read recent detailed results. */
  restrictedKey: string
  webhookSecret: string
  stop(): Promise<void>
}

/**
 * Starts the stand-in for Stripe Identity on 127.0.0.1: on its page, a person chooses the outcome of a check.
 *
 * Secrets and checks of a folder stay the same across restarts, and so does the port if it is free.
 */
export async function startKyc({ dir, webhookUrl }: Options): Promise<Kyc> {
  const store = openStore(dir)
  const { state } = store
  const webhooks = startWebhooks(store, webhookUrl)
  const options = { store, sendEvent: webhooks.sendEvent }
  const app = stripeApi(options).route('/', checkPages(options))
  const served = await serveAgain('kyc', fromFetch(app.fetch), store)
  return {
    url: served.url,
    secretKey: state.secret_key,
    restrictedKey: state.restricted_key,
    webhookSecret: state.webhook_secret,
    async stop() {
      webhooks.stop()
      await served.stop()
    },
  }
}
