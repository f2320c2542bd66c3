import type { Db } from '../db/client.ts'
import type { Env } from '../env.ts'
import { bearsName, identityOf } from './person.ts'
import { type KycProvider, providerAway } from './provider.ts'
import { type FoundCheck, type Settled, settleCheck } from './settle-store.ts'
import { ANOTHER_PERSON, UNREADABLE_MS } from './terms.ts'

interface VerifiedSession {
  id: string
  /** Its check, or the query for it. */
  check: FoundCheck | Promise<FoundCheck | null>
  /** The id of the webhook that reported it; null if we called the provider. */
  provider_event: string | null
}

interface Dependencies {
  db: Db
  provider: KycProvider
  env: Pick<Env, 'IDENTITY_KEY'>
  now: Date
}

/**
 * Ends the check of a session that the provider has verified: reads the person from the provider, and stores only a keyed
 * hash of the person and whether the document shows the operator's name. Two network steps; one more if the operator was
 * renamed in the meantime.
 *
 * @returns null if there is no such check
 * @throws ApiError 503 if the provider does not return the person: nothing is settled, and the call can be repeated
 */
export async function settleVerified(
  { db, provider, env, now }: Dependencies,
  session: VerifiedSession,
): Promise<Settled | null> {
  const reading = provider.readPerson(session.id)
  reading.catch(() => undefined) // irrelevant if the check is unknown or over
  const check = await session.check
  if (!check || isOver(check)) return check && { ...check, renamed_to: null, deliveries: null }
  const read = await reading
  if (read === 'rejected' && now.getTime() - Date.parse(check.created_at) < UNREADABLE_MS)
    throw providerAway()
  const person = read === 'rejected' ? null : read
  const identity = person && (await identityOf(env.IDENTITY_KEY, person))
  const { id: session_id, provider_event } = session
  const settleAs = (name: string) => {
    const is_name = person !== null && bearsName(person, name)
    const ending = { status: 'verified', identity, name, is_name } as const
    return settleCheck(db, { session_id, ending, provider_event }, now)
  }
  let settled = await settleAs(check.name)
  while (settled?.renamed_to) settled = await settleAs(settled.renamed_to) // until the request's deadline
  return settled
}

/** Whether a verification can no longer change a check. */
function isOver({ status, reason }: FoundCheck): boolean {
  return status === 'failed' ? reason === ANOTHER_PERSON : status !== 'pending'
}
