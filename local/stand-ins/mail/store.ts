import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { keepState } from '../../file.ts'

const KEY_KEPT_MS = 86_400_000 // https://resend.com/docs/dashboard/emails/idempotency-keys

const shape = z.object({
  api_key: z.string(),
  webhook_secret: z.string(),
  /** The accepted requests, by idempotency key. */
  requests: z.record(z.string(), z.object({ fingerprint: z.string(), id: z.string(), at: z.number() })),
})

type State = z.infer<typeof shape>

export interface Store {
  apiKey: string
  webhookSecret: string
  /** The request with an idempotency key in the last 24 hours. */
  find(key: string, now: number): State['requests'][string] | undefined
  /** Writes a request to the file, before the response is sent. */
  keep(key: string, fingerprint: string, id: string, now: number): void
}

/** Reads the state of the provider from `mail.json` (0600) in its folder, or starts with a new key. */
export function openStore(dir: string): Store {
  const { state, save } = keepState<State>(join(dir, 'mail.json'), shape, () => ({
    api_key: `re_${randomBytes(24).toString('hex')}`,
    webhook_secret: `whsec_${randomBytes(24).toString('base64')}`,
    requests: {},
  }))
  save()
  return {
    apiKey: state.api_key,
    webhookSecret: state.webhook_secret,
    find(key, now) {
      const found = state.requests[key]
      return found && now - found.at < KEY_KEPT_MS ? found : undefined
    },
    keep(key, fingerprint, id, now) {
      for (const [old, { at }] of Object.entries(state.requests))
        if (now - at >= KEY_KEPT_MS) delete state.requests[old]
      state.requests[key] = { fingerprint, id, at: now }
      save()
    },
  }
}
