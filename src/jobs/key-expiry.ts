import { remindOfExpiry } from '../agent-keys/expiry-store.ts'
import type { JobScope } from './scope.ts'

/** Tells operators about keys of their agents that expire within a week. */
export async function watchAgentKeys({ db, now }: JobScope): Promise<Record<string, number>> {
  return { reminded: await remindOfExpiry(db, now) }
}
