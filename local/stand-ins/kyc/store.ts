import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { keepState } from '../../file.ts'

const REQUEST_KEPT_SECONDS = 86_400 // https://docs.stripe.com/api/idempotent_requests

const session = z.object({
  id: z.string(),
  client_secret: z.string(),
  client_reference_id: z.string().nullable(),
  created: z.number(),
  metadata: z.record(z.string(), z.string()),
  options: z.record(z.string(), z.record(z.string(), z.boolean())),
  return_url: z.string().nullable(),
  status: z.enum(['requires_input', 'processing', 'verified', 'canceled']),
  last_error: z.object({ code: z.string(), reason: z.string() }).nullable(),
  last_verification_report: z.string().nullable(),
  /** The data on the document; null until it is verified. */
  verified_outputs: z
    .object({
      first_name: z.string().nullable(),
      last_name: z.string().nullable(),
      dob: z.object({ day: z.number(), month: z.number(), year: z.number() }),
    })
    .nullable(),
  type: z.string(),
  /** The token in the URL of the person's page; changes after each attempt. */
  token: z.string(),
})

const event = z.object({
  id: z.string(),
  created: z.number(),
  type: z.string(),
  body: z.string(),
  attempts: z.number(),
})

const request = z.object({ fingerprint: z.string(), response: z.unknown(), at: z.number() })

const shape = z.object({
  port: z.number(),
  /** Allows everything except reading sensitive data of a document. */
  secret_key: z.string(),
  /** Allows that too. */
  restricted_key: z.string(),
  webhook_secret: z.string(),
  /** Oldest first. */
  sessions: z.array(session),
  /** Events that the receiver has not accepted yet. */
  undelivered: z.array(event),
  /** Responses to requests with an Idempotency-Key, by that key. */
  requests: z.record(z.string(), request),
})

export type Session = z.infer<typeof session>
export type Event = z.infer<typeof event>

/** The stored state of the provider. */
type State = z.infer<typeof shape>

export interface Store {
  state: State
  /** Writes the state to its file atomically. */
  save(): void
}

/**
 * Reads the state of the provider from `kyc.json` (0600) in its folder, or starts with new secrets.
 *
 * @throws Error when the file is invalid
 */
export function openStore(dir: string): Store {
  const secret = (prefix: string) => prefix + randomBytes(24).toString('hex')
  const { state, save } = keepState<State>(join(dir, 'kyc.json'), shape, () => ({
    port: 0,
    secret_key: secret('sk_test_'),
    restricted_key: secret('rk_test_'),
    webhook_secret: secret('whsec_'),
    sessions: [],
    undelivered: [],
    requests: {},
  }))
  const store = {
    state,
    save() {
      const oldest = Date.now() / 1000 - REQUEST_KEPT_SECONDS
      for (const [key, { at }] of Object.entries(state.requests)) if (at < oldest) delete state.requests[key]
      save()
    },
  }
  store.save()
  return store
}
