import { deleteExpired } from './clean-up-store.ts'
import type { JobScope } from './scope.ts'

/** Deletes what is kept for a time only; what does not fit into one run waits for the next minute. */
export async function cleanUp({ db, now }: JobScope): Promise<{ deleted: number }> {
  return { deleted: await deleteExpired(db, now) }
}
