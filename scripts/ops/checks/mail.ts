import { randomUUID } from 'node:crypto'
import { sendMail } from '../../../src/mail/resend.ts'
import { type Check, notTried, ok, wrong } from '../check.ts'

/** The provider takes mail for this address, and drops it. Source: https://resend.com/docs/dashboard/emails/send-test-emails */
const SINK = 'delivered@resend.dev'
const SUBJECT = 'A check of the deployment'

/** The provider that mails notifications. */
export const mailChecks: Check[] = [
  {
    part: 'mail',
    name: 'provider',
    async run({ env }) {
      if (!env.MAIL_API_KEY) return notTried('MAIL_API_KEY is not set: notifications stay in the console')
      const mail = { to: SINK, subject: SUBJECT, text: SUBJECT, html: `<p>${SUBJECT}</p>`, headers: {} }
      const { status, error } = await sendMail(env, randomUUID(), mail)
      return error === null
        ? ok(`takes mail from ${env.MAIL_FROM}`)
        : wrong(
            `does not take a mail from ${env.MAIL_FROM}: ${status ?? ''} ${error}`.replace('  ', ' '),
            'look up MAIL_API_KEY, and verify the domain of MAIL_FROM at the provider',
          )
    },
  },
]
