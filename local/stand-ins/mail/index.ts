import { createHash, randomUUID } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { z } from 'zod'
import type { Message } from '../identity/mailbox.ts'
import { fromFetch, serve } from '../serve.ts'
import { mountFaults } from '../switches.ts'
import { createFaults, FAULTS } from './faults.ts'
import { openStore } from './store.ts'

const KEY_MAX = 256
const ADDRESS = /^(?:[^<>]*<([^\s<>@]+@[^\s<>@]+)>|([^\s<>@]+@[^\s<>@]+))$/
const ADDRESS_RULE =
  'The email address needs to follow the `email@example.com` or `Name <email@example.com>` format.'

const input = z.object({
  from: z.string(),
  to: z.union([z.string(), z.array(z.string()).min(1).max(50)]),
  subject: z.string(),
  text: z.string().optional(),
  html: z.string().optional(),
  headers: z.record(z.string(), z.string()).default({}),
})

type Input = z.infer<typeof input>
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
export async function startMail(options: Options): Promise<MailProvider> {
  const { dir, deliver, now = Date.now } = options
  const store = openStore(dir)
  const faults = createFaults()
  const app = new Hono<{ Bindings: HttpBindings }>()

  app.post('/emails', async (c) => {
    const [, key = ''] = /^Bearer (.+)$/.exec(c.req.header('authorization') ?? '') ?? []
    if (!key) return reject(c, 401, 'missing_api_key', 'Missing API key in the authorization header.')
    if (key !== store.apiKey) return reject(c, 403, 'invalid_api_key', 'API key is invalid.')
    if (!c.req.header('user-agent')) return c.text('error code: 1010', 403)
    const body = await c.req.text()
    const mail = parse(body)
    if ('problem' in mail) return reject(c, 422, mail.name, mail.problem)
    const [to = ''] = addresses(mail)
    const fault = faults(to)
    if (fault.take('reject'))
      return reject(c, 422, 'validation_error', `Invalid \`to\` field. ${ADDRESS_RULE}`)
    if (fault.take('rejectSubject'))
      return reject(c, 422, 'validation_error', 'The `subject` field is invalid.')
    if (fault.take('down')) return reject(c, 500, 'internal_server_error', 'An unexpected error occurred.')
    if (fault.take('busy')) return reject(c, 429, 'rate_limit_exceeded', 'Too many requests.')
    const idempotencyKey = c.req.header('idempotency-key')
    if (idempotencyKey !== undefined && (idempotencyKey === '' || idempotencyKey.length > KEY_MAX))
      return reject(c, 400, 'invalid_idempotency_key', 'The key must be between 1-256 chars.')
    if (fault.take('inProgress'))
      return reject(
        c,
        409,
        'concurrent_idempotent_requests',
        'Same idempotency key used while original request is still in progress.',
      )
    const fingerprint = createHash('sha256').update(body).digest('hex')
    const before = idempotencyKey === undefined ? undefined : store.find(idempotencyKey, now())
    if (before && before.fingerprint !== fingerprint)
      return reject(
        c,
        409,
        'invalid_idempotent_request',
        'Same idempotency key used with a different request payload.',
      )
    const id = before?.id ?? randomUUID()
    if (!before) {
      if (idempotencyKey !== undefined) store.keep(idempotencyKey, fingerprint, id, now())
      for (const address of addresses(mail)) deliver(toMessage(mail, address, now()))
    }
    if (fault.take('breakOff')) c.env.outgoing.destroy()
    return c.json({ id })
  })

  mountFaults(app, FAULTS, (c) => faults((c.req.query('to') ?? '').toLowerCase()))

  const { url, stop } = await serve('mail', fromFetch(app.fetch))
  return { url, apiKey: store.apiKey, webhookSecret: store.webhookSecret, stop }
}

function reject(
  c: MailContext,
  statusCode: 400 | 401 | 403 | 409 | 422 | 429 | 500,
  name: string,
  message: string,
) {
  return c.json({ statusCode, name, message }, statusCode)
}

function parse(body: string): Input | { name: string; problem: string } {
  const result = input.safeParse(json(body))
  if (!result.success) return { name: 'validation_error', problem: z.prettifyError(result.error) }
  const mail = result.data
  if (!mail.text && !mail.html)
    return { name: 'missing_required_field', problem: 'Missing `html` or `text` field.' }
  if (!ADDRESS.test(mail.from))
    return { name: 'invalid_from_address', problem: `Invalid \`from\` field. ${ADDRESS_RULE}` }
  if ([mail.to].flat().some((to) => !ADDRESS.test(to)))
    return { name: 'validation_error', problem: `Invalid \`to\` field. ${ADDRESS_RULE}` }
  const hasLineEnd = [mail.subject, ...Object.entries(mail.headers).flat()].some((text) =>
    /[\r\n]/.test(text),
  )
  return hasLineEnd ? { name: 'validation_error', problem: 'Headers must be one line each.' } : mail
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function addresses({ to }: Input): string[] {
  return [to].flat().map((text) => {
    const [, inBrackets, bare] = ADDRESS.exec(text) ?? []
    return (inBrackets ?? bare ?? '').toLowerCase()
  })
}

function toMessage({ from, subject, text, html, headers }: Input, to: string, now: number): Message {
  return {
    to,
    subject,
    link: null,
    at: new Date(now).toISOString(),
    text: text ?? '',
    html: html ?? '',
    headers: { From: from, ...headers },
  }
}
