import type { Db } from '../db/client.ts'
import type { Env } from '../env.ts'
import { bearsName, identityOf } from './person.ts'
import { type KycProvider, providerAway } from './provider.ts'
import { type FoundCheck, type Settled, settleCheck } from './settle-store.ts'
import { ANOTHER_PERSON, UNREADABLE_MS } from './terms.ts'

interface VerifiedSession {
  id: string
  /** Its check, or the look for it. */
  check: FoundCheck | Promise<FoundCheck | null>
  /** The id of the webhook that reported it; null when we have asked. */
  provider_event: string | null
}

interface World {
  db: Db
  provider: KycProvider
  env: Pick<Env, 'IDENTITY_KEY'>
  now: Date
}

/**
 * Ends the check of a session that the provider has verified: reads whom the document names, and keeps of it who it was
 * (a keyed hash) and whether it bears the operator's name. Two network steps; one more when the operator was renamed
 * meanwhile.
 *
 * @returns null when there is no such check
 * @throws ApiError 503 when the provider does not tell the person: then nothing is settled, and this may be tried again
 */
export async function settleVerified(world: World, session: VerifiedSession): Promise<Settled | null> {
  const { db, provider, env, now } = world
  const reading = provider.readPerson(session.id)
  reading.catch(() => undefined) // of a session that is not ours, or over, it does not matter
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

/** Whether a verification changes nothing of a check any more. */
function isOver({ status, reason }: FoundCheck): boolean {
  return status === 'failed' ? reason === ANOTHER_PERSON : status !== 'pending'
}
