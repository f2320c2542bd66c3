import { randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { sendMail } from '../../../src/mail/resend.ts'
import { checksOf, LOOK_UP, notTried, ok, wrong } from '../check.ts'
import { askHook } from './webhook.ts'

/** The provider accepts email to this address, and drops it. Source: https://resend.com/docs/dashboard/emails/send-test-emails */
const SINK = 'delivered@resend.dev'
const HOOK = '/internal/mail/resend'
const SUBJECT = 'Deployment check'

/** The provider that sends notifications by email, and its webhook. */
export const mailChecks = checksOf('mail', [
  {
    name: 'provider',
    async run({ env }) {
      if (!env.MAIL_API_KEY) return notTried('MAIL_API_KEY is not set: notifications are not sent by email')
      const mail = { to: SINK, subject: SUBJECT, text: SUBJECT, html: `<p>${SUBJECT}</p>`, headers: {} }
      const { status, error } = await sendMail(env, randomUUID(), mail)
      return error === null
        ? ok(`accepts email from ${env.MAIL_FROM}`)
        : wrong(
            `rejects email from ${env.MAIL_FROM}: ${status ?? ''} ${error}`.replace('  ', ' '),
            'check MAIL_API_KEY, and verify the domain of MAIL_FROM at the provider',
          )
    },
  },
  {
    name: 'bounces',
    ofWorker: true,
    todo: LOOK_UP.Worker,
    async run({ env }) {
      const secret = env.MAIL_WEBHOOK_SECRET
      if (!secret) return notTried('MAIL_WEBHOOK_SECRET is not set: the Worker receives no bounces')
      const [id, at] = [`msg_${randomUUID()}`, new Date()]
      const body = JSON.stringify({ type: 'doctor.check', data: {} })
      const headers = {
        'Svix-Id': id,
        'Svix-Timestamp': String(Math.floor(at.getTime() / 1000)),
        'Svix-Signature': new Webhook(secret).sign(id, at, body),
      }
      const provider = `the webhook ${env.BASE_URL + HOOK} at Resend`
      return askHook(env, { path: HOOK, body, headers }, { setting: 'MAIL_WEBHOOK_SECRET', provider })
    },
  },
])
