import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { keepState } from '../../file.ts'

const session = z.object({
  id: z.string(),
  client_reference_id: z.string().nullable(),
  return_url: z.string().nullable(),
  created: z.number(),
  status: z.enum(['requires_input', 'processing', 'verified', 'canceled']),
  last_error: z.object({ code: z.string(), reason: z.string() }).nullable(),
  /** The data on the document; null until it is verified. */
  verified_outputs: z
    .object({
      first_name: z.string().nullable(),
      last_name: z.string().nullable(),
      dob: z.object({ day: z.number(), month: z.number(), year: z.number() }).optional(),
    })
    .nullable(),
  /** The token in the URL of the person's page; changes after each attempt. */
  token: z.string(),
  /** The Idempotency-Key of the request that created it, and its response. */
  request: z.string().nullable(),
  response: z.looseObject({}),
})

const event = z.object({
  id: z.string(),
  created: z.number(),
  type: z.string(),
  body: z.string(),
  attempts: z.number(),
})

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
})

export type Session = z.infer<typeof session>
export type Event = z.infer<typeof event>
export type Store = ReturnType<typeof openStore>

/**
 * Reads the state of the provider from `kyc.json` (0600) in its folder, or starts with new secrets.
 *
 * @throws Error when the file is invalid
 */
export function openStore(dir: string) {
  const secret = (prefix: string) => prefix + randomBytes(24).toString('hex')
  return keepState<z.infer<typeof shape>>(join(dir, 'kyc.json'), shape, () => ({
    port: 0,
    secret_key: secret('sk_test_'),
    restricted_key: secret('rk_test_'),
    webhook_secret: secret('whsec_'),
    sessions: [],
    undelivered: [],
  }))
}
