import type { JobScope } from './scope.ts'
import { deleteExpired } from './store.ts'

const RUN_MS = 20_000

/** Deletes expired rows, page by page; what is left after 20 seconds waits for the next minute. */
export async function cleanUp({ db, now }: JobScope): Promise<{ deleted: number }> {
  const began = Date.now()
  let [deleted, more] = [0, true]
  while (more && Date.now() - began < RUN_MS) {
    const page = await deleteExpired(db, now)
    deleted += page.deleted
    more = page.more
  }
  return { deleted }
}
