import { connect } from '../db/client.ts'
import type { Env } from '../env.ts'
import { publishAll } from '../services/qstash.ts'
import { type MailPublication, markMailsPublished } from './publish-store.ts'
import { RELAY_TIMEOUT_SECONDS, RETRIES } from './schedule.ts'

export const MAIL_PATH = '/internal/qstash/mail'

/** Mails published per minute: as many as the provider accepts, so that they do not queue up at QStash. */
export const MAILS_PER_MINUTE = 120

// Resend's default limit is two requests per second and account.
const FLOW = { key: 'mail', rate: 2, period: 1, parallelism: 2 }

/**
 * Publishes a message for each mail to QStash, which calls the relay until it accepts it, then marks the mails.
 *
 * @throws Error if QStash or the database fails: the next minute publishes again
 */
export async function publishMails(
  env: Env,
  publications: readonly MailPublication[],
  now: Date,
): Promise<void> {
  await publishAll(
    env,
    publications,
    (one) => message(env, one),
    (batch, signal) => markMailsPublished(connect(env, signal), idsOf(batch), now),
  )
}

const idsOf = (batch: readonly MailPublication[]) => batch.map(({ mail_id }) => mail_id)

function message(env: Env, { mail_id, published_at }: MailPublication) {
  return {
    url: `${env.BASE_URL}${MAIL_PATH}`,
    body: { mail_id },
    retries: RETRIES,
    timeout: RELAY_TIMEOUT_SECONDS,
    label: 'mail',
    flowControl: FLOW,
    // The same until the mail is marked, and another one once QStash has given up the message.
    deduplicationId: `${mail_id}:${published_at ? Date.parse(published_at) : 0}`,
  }
}
