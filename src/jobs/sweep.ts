import { publish } from '../webhooks/outbox/publish.ts'
import { findUnpublished } from '../webhooks/outbox/sweep-store.ts'
import type { JobScope } from './scope.ts'

const PAGES_MAX = 10

/** Publishes the deliveries that QStash does not have; what does not fit waits for the next minute. */
export async function sweepOutbox({ env, db, now }: JobScope): Promise<{ published: number }> {
  let published = 0
  for (let page = 0; page < PAGES_MAX; page++) {
    const publications = await findUnpublished(db, now)
    if (publications.length === 0) break
    await publish(env, publications, now)
    published += publications.length
  }
  return { published }
}
