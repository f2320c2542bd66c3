import { Webhook } from 'standardwebhooks'
import { expect } from 'vitest'
import { sendSigned } from './deliveries.ts'
import type { Body, Harness, Operator } from './harness.ts'
import { settingsOf } from './worker-settings.ts'

/** A mail in the mailbox of a stack. */
interface Received {
  to: string
  subject: string
  text: string
  html: string
  headers: Record<string, string>
}

interface Telling {
  secret?: string
  /** The age of the signature. */
  ageMs?: number
  bounce?: { type?: string }
}

type Faults = Partial<Record<'reject' | 'rejectSubject' | 'down' | 'busy' | 'breakOff', boolean | number>>

/** The operations of tests on the mail provider of a stack. */
export function mailControl({
  api,
  base_url,
  dir,
  mail_url,
  mailbox_url,
  sql,
  cron,
  newReporter,
  report,
}: Harness) {
  const control = {
    me: async ({ token }: Operator): Promise<Body> => (await api('GET', '/operators/me', { token })).body,

    incident: ({ key, reg }: { key: string; reg: string }, metadata: object = {}) =>
      report(key, reg, { event_type: 'incident', severity: 'error', metadata }),

    /** Creates an operator with a new incident alert; `faults` come first, as any run of the jobs publishes its mail. */
    async newAlerted(faults: Faults = {}) {
      const reporter = await newReporter()
      await control.setFaults(reporter.operator, faults)
      await control.incident(reporter, { title: 'Wrong totals', description: 'Three invoices.' })
      return reporter
    },

    /** The mails to an operator without sign-in links, oldest first. */
    async received({ email }: Pick<Operator, 'email'>): Promise<Received[]> {
      const response = await fetch(`${mailbox_url}/messages.json?to=${encodeURIComponent(email)}`)
      const messages = (await response.json()) as (Received & { link: string | null })[]
      return messages.filter(({ link }) => link === null).reverse()
    },

    /** The stored mails of an operator, oldest first. */
    rows: ({ id }: Pick<Operator, 'id'>): Promise<Body[]> =>
      sql('select * from mails where operator_id = $1 order by created_at, id', [id]),

    /** Runs the jobs until the Worker has tried each mail of an operator. */
    async settled(operator: Operator, now = new Date()): Promise<Body[]> {
      await cron(now)
      const isUntried = ({ status, attempts }: Body) => status === 'pending' && attempts === 0
      await expect.poll(async () => (await control.rows(operator)).filter(isUntried)).toEqual([])
      return control.rows(operator)
    },

    /** Asks the relay, as QStash does, for each pending mail of an operator; QStash itself is not given them. */
    async relayed({ id }: Pick<Operator, 'id'>): Promise<Body[]> {
      const pending = await sql(
        `update mails set published_at = now() where operator_id = $1 and status = 'pending' returning id`,
        [id],
      )
      for (const mail of pending)
        await sendSigned({ api, base_url }, '/internal/qstash/mail', { mail_id: mail.id })
      return control.rows({ id })
    },

    /** The only mail that an operator has received. */
    async only(operator: Operator): Promise<Received> {
      await control.relayed(operator)
      const [mail, ...others] = await control.received(operator)
      if (!mail || others.length > 0) throw new Error(`${operator.email} has ${others.length + 1} mails`)
      return mail
    },

    /** Sends a webhook about an address, signed like the provider's with an independent implementation. */
    async tell(type: string, to: string, { secret, ageMs = 0, ...data }: Telling = {}) {
      const signedAt = new Date(Date.now() - ageMs)
      const [id, body] = [`msg_${crypto.randomUUID()}`, JSON.stringify({ type, data: { to: [to], ...data } })]
      const key = secret ?? settingsOf(dir).MAIL_WEBHOOK_SECRET ?? ''
      const headers = {
        'Svix-Id': id,
        'Svix-Timestamp': String(Math.floor(signedAt.getTime() / 1000)),
        'Svix-Signature': `v1,${'A'.repeat(43)}= ${new Webhook(key).sign(id, signedAt, body)}`,
      }
      return api('POST', '//internal/mail/resend', { body, headers })
    },

    async setFaults({ email }: Pick<Operator, 'email'>, faults: Faults): Promise<void> {
      const response = await fetch(`${mail_url}/-/faults?to=${encodeURIComponent(email)}`, {
        method: 'POST',
        body: JSON.stringify(faults),
      })
      if (!response.ok) throw new Error(`faults: ${response.status} ${await response.text()}`)
    },
  }
  return control
}
