import { expireVerifications, remindOperators } from '../kyc/expiry-store.ts'
import type { JobScope } from './scope.ts'

/** Ends verifications after one year, and reminds operators 30 and 7 days before. */
export async function watchVerifications({ db, now }: JobScope): Promise<Record<string, number>> {
  const expired = await expireVerifications(db, now)
  const reminded = await remindOperators(db, now)
  return { expired, reminded }
}
