import { MAILS_PER_MINUTE, publishMails } from '../mail/publish.ts'
import { dropMails, expireMails, findUnpublishedMails } from '../mail/publish-store.ts'
import type { JobScope } from './scope.ts'

/** Publishes the pending mails of this minute and expires old ones; drops all mails if no mail provider is configured. */
export async function sendMails({ env, db, now }: JobScope): Promise<Record<string, number>> {
  if (!env.MAIL_API_KEY) return { dropped: await dropMails(db) }
  const expired = await expireMails(db, now)
  const publications = await findUnpublishedMails(db, now, MAILS_PER_MINUTE)
  await publishMails(env, publications, now)
  return { published: publications.length, expired }
}
