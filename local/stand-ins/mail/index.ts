import { createHash, randomUUID } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { z } from 'zod'
import type { Message } from '../identity/mailbox.ts'
import { fromFetch, serve } from '../serve.ts'
import { mountFaults } from '../switches.ts'
import { createFaults, FAULTS, REJECTIONS, type Rejection } from './faults.ts'
import { openStore } from './store.ts'

const KEY_MAX = 256
const ADDRESS = /^(?:[^<>]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/
const ONE_LINE = /^[^\r\n]*$/

const input = z.object({
  from: z.string().regex(ADDRESS),
  to: z.tuple([z.string().regex(ADDRESS)]),
  subject: z.string().regex(ONE_LINE),
  text: z.string(),
  html: z.string(),
  headers: z.record(z.string().regex(ONE_LINE), z.string().regex(ONE_LINE)),
})

type MailContext = Context<{ Bindings: HttpBindings }>

export interface MailProvider {
  url: string
  apiKey: string
  /** The key for signatures of its webhooks about bounces. */
  webhookSecret: string
  stop(): Promise<void>
}

interface Options {
  /** Data folder (`mail.json`): its key, and the accepted requests. */
  dir: string
  /** Receives the mails. */
  deliver(message: Message): void
  /** The clock for the expiry of idempotency keys, in ms; for tests. */
  now?(): number
}

/**
 * Starts the stand-in for the mail provider: `POST /emails` of Resend, with idempotency keys for 24 hours.
 * Accepted mails arrive in the mailbox. `POST /-/faults?to=<address>` sets faults for an address.
 *
 * Source: https://resend.com/docs/api-reference/emails/send-email, https://resend.com/docs/api-reference/errors
 */
export async function startMail({ dir, deliver, now = Date.now }: Options): Promise<MailProvider> {
  const store = openStore(dir)
  const faults = createFaults()
  const app = new Hono<{ Bindings: HttpBindings }>()

  app.post('/emails', async (c) => {
    if (c.req.header('authorization') !== `Bearer ${store.apiKey}`)
      return reject(c, [403, 'invalid_api_key', 'API key is invalid.'])
    if (!c.req.header('user-agent')) return c.text('error code: 1010', 403)
    const body = await c.req.text()
    const mail = input.safeParse(JSON.parse(body))
    if (!mail.success) return reject(c, [422, 'validation_error', z.prettifyError(mail.error)])
    const { from, to, headers, ...texts } = mail.data
    const address = to[0].toLowerCase()
    const fault = faults(address)
    for (const [name, rejection] of REJECTIONS) if (fault.take(name)) return reject(c, rejection)
    const key = c.req.header('idempotency-key') ?? ''
    if (key === '' || key.length > KEY_MAX)
      return reject(c, [400, 'invalid_idempotency_key', 'The key must be between 1-256 chars.'])
    const fingerprint = createHash('sha256').update(body).digest('hex')
    const before = store.find(key, now())
    if (before && before.fingerprint !== fingerprint)
      return reject(c, [409, 'invalid_idempotent_request', 'Same idempotency key, different payload.'])
    const id = before?.id ?? randomUUID()
    if (!before) {
      store.keep(key, fingerprint, id, now())
      const at = new Date(now()).toISOString()
      deliver({ ...texts, to: address, link: null, at, headers: { From: from, ...headers } })
    }
    if (fault.take('breakOff')) c.env.outgoing.destroy()
    return c.json({ id })
  })

  mountFaults(app, FAULTS, (c) => faults((c.req.query('to') ?? '').toLowerCase()))

  const { url, stop } = await serve('mail', fromFetch(app.fetch))
  return { url, apiKey: store.apiKey, webhookSecret: store.webhookSecret, stop }
}

function reject(c: MailContext, [statusCode, name, message]: Rejection) {
  return c.json({ statusCode, name, message }, statusCode)
}
