import { randomUUID } from 'node:crypto'
import { sendMail } from '../../../src/mail/resend.ts'
import { checksOf, notTried, ok, wrong } from '../check.ts'

/** The provider accepts email to this address, and drops it. Source: https://resend.com/docs/dashboard/emails/send-test-emails */
const SINK = 'delivered@resend.dev'
const SUBJECT = 'Deployment check'

/** The provider that sends notifications by email. */
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
])
