import type { Db } from '../db/client.ts'
import type { Env } from '../env.ts'
import { withTimeout } from '../lib/timeout.ts'
import { connectQStash } from '../services/qstash.ts'
import { type MailPublication, markMailsPublished } from './publish-store.ts'
import { CLAIM_MS } from './schedule.ts'

export const MAIL_PATH = '/internal/qstash/mail'

/** Mails published per minute: as many as the provider accepts, so that they do not queue up at QStash. */
export const MAILS_PER_MINUTE = 120

const BATCH_MAX = 100
const DEADLINE_MS = 10_000
// Resend's default limit is two requests per second and account.
const FLOW = { key: 'mail', rate: 2, period: 1, parallelism: 2 }

/**
 * Schedules a call of the relay with QStash for each attempt, then marks the attempts as published.
 *
 * @param dbFor returns a database client with a new deadline, one for each batch
 * @throws Error if QStash or the database fails: the next minute publishes again
 */
export async function publishMails(
  env: Env,
  dbFor: () => Db,
  publications: readonly MailPublication[],
  now: Date,
): Promise<void> {
  const client = connectQStash(env)
  for (let sent = 0; sent < publications.length; sent += BATCH_MAX) {
    const batch = publications.slice(sent, sent + BATCH_MAX)
    await withTimeout(
      DEADLINE_MS,
      client.batchJSON(batch.map((publication) => message(env, publication, now))),
    )
    await markMailsPublished(dbFor(), batch, now)
  }
}

function message(env: Env, { mail_id, attempt, publish_count, due_at }: MailPublication, now: Date) {
  const due = Date.parse(due_at)
  return {
    url: `${env.BASE_URL}${MAIL_PATH}`,
    body: { mail_id, attempt },
    timeout: CLAIM_MS / 1000,
    label: 'mail',
    flowControl: FLOW,
    deduplicationId: `${mail_id}:${attempt}:p${publish_count}`,
    ...(due > now.getTime() && { notBefore: Math.ceil(due / 1000) }),
  }
}
