import type { Db } from '../db/client.ts'
import { untilFresh } from '../db/transaction.ts'
import type { Env } from '../env.ts'
import type { Publication } from '../webhooks/outbox/store.ts'
import { bearsName, identityOf } from './person.ts'
import { type Ending, isOver, planSettlement } from './settle-plan.ts'
import { type FoundCheck, findCheck, writeSettlement } from './settle-store.ts'
import { type KycProvider, providerAway } from './stripe.ts'
import { UNREADABLE_MS } from './terms.ts'

/** The state of a check after it was settled. */
type Settled = Pick<FoundCheck['check'], 'status' | 'reason'> & { deliveries: Publication[] | null }

interface EndedSession {
  id: string
  /** Its check as it was read, or the query for it. */
  check: FoundCheck | Promise<FoundCheck | null>
}

interface Dependencies {
  db: Db
  provider: KycProvider
  env: Pick<Env, 'IDENTITY_KEY'>
  now: Date
}

/**
 * Ends the check of a session that the provider has verified: reads the person from the provider, and stores only a keyed
 * hash of the person and whether the document shows the operator's name. Two network steps; two more if the operator was
 * changed in the meantime.
 *
 * @returns null if there is no such check
 * @throws ApiError 503 if the provider does not return the person: nothing is settled, and the call can be repeated
 */
export async function settleVerified(
  { db, provider, env, now }: Dependencies,
  session: EndedSession,
): Promise<Settled | null> {
  const reading = provider.readPerson(session.id)
  reading.catch(() => undefined) // irrelevant if the check is unknown or over
  const found = await session.check
  if (!found || isOver(found.check)) return found && { ...found.check, deliveries: null }
  const read = await reading
  if (read === 'rejected' && now.getTime() - Date.parse(found.check.created_at) < UNREADABLE_MS)
    throw providerAway()
  const person = read === 'rejected' ? null : read
  const identity = person && (await identityOf(env.IDENTITY_KEY, person))
  const endingFor = ({ operator: { name } }: FoundCheck): Ending => {
    const is_name = person !== null && bearsName(person, name)
    return { status: 'verified', identity, name, is_name }
  }
  return settle(db, { ...session, check: found }, endingFor, now)
}

/**
 * Ends the check of a session once.
 *
 * @param endingFor how it ends, by the check as it was read
 * @returns null if there is no such check
 */
export function settle(
  db: Db,
  { id, check }: EndedSession,
  endingFor: (found: FoundCheck) => Ending,
  now: Date,
): Promise<Settled | null> {
  return untilFresh(async (isFirst) => {
    const found = await (isFirst ? check : findCheck(db, id))
    if (!found) return null
    const plan = planSettlement(found, endingFor(found), now)
    if (!plan) return { ...found.check, deliveries: null }
    const deliveries = await writeSettlement(db, found, plan, now)
    return { ...plan.check, deliveries }
  })
}
