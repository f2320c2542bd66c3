import { publish } from '../webhooks/publish.ts'
import { findUnpublished } from '../webhooks/store.ts'
import type { JobScope } from './scope.ts'

const PAGE = 100
const PAGES_MAX = 20

/** Publishes the deliveries that QStash does not know of, or has lost. */
export async function sweepOutbox({ env, db, now }: JobScope): Promise<{ published: number }> {
  let published = 0
  for (let page = 0; page < PAGES_MAX; page++) {
    const publications = await findUnpublished(db, now, PAGE)
    await publish(env, publications, now)
    published += publications.length
    if (publications.length < PAGE) break
  }
  return { published }
}
