import type { Db } from '../db/client.ts'
import type { Env } from '../env.ts'
import { withTimeout } from '../lib/timeout.ts'
import { connectQStash } from '../services/qstash.ts'
import { type MailPublication, markMailsPublished } from './publish-store.ts'
import { CLAIM_MS } from './schedule.ts'

export const MAIL_PATH = '/internal/qstash/mail'

/** How many mails a minute are handed over: as many as the provider takes, so that QStash has none to hold back. */
export const MAILS_PER_MINUTE = 120

const BATCH_MAX = 100
const DEADLINE_MS = 10_000
// Resend takes two requests a second, of an account that has not asked for more.
const FLOW = { key: 'mail', rate: 2, period: 1, parallelism: 2 }

/**
 * Asks QStash to call us for each attempt when it is due, then remembers that it was asked.
 *
 * @param dbFor a database with a fresh deadline, for each batch
 * @throws Error when QStash or the database rejects it or is away: the next minute publishes again
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
