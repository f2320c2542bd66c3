import { probe } from '../ownership/probe.ts'
import { type DueProof, findDueProofs, type Recheck, recordRechecks } from '../ownership/recheck-store.ts'
import type { JobScope } from './scope.ts'

// Ten times five seconds at most: within the minute of the job, and its subrequests within those of an invocation.
const PER_RUN = 60
const AT_ONCE = 6 // connections that a Worker may hold open

/** Looks up again the proofs of ownership that are a week old; what does not fit into one run waits for the next. */
export async function recheckOwnership({ env, db, now }: JobScope): Promise<Record<string, number>> {
  const due = await findDueProofs(db, now, PER_RUN)
  const rechecks: Recheck[] = []
  const one = async (proof: DueProof) => {
    const { outcome } = await probe(env, proof)
    const { id, checked_at } = proof
    if (outcome !== 'unknown') rechecks.push({ id, checked_at, found: outcome === 'found' })
  }
  for (let from = 0; from < due.length; from += AT_ONCE) {
    await Promise.all(due.slice(from, from + AT_ONCE).map(one))
  }
  const { checked, lost } = await recordRechecks(db, rechecks, now)
  return { checked, lost, unanswered: due.length - rechecks.length }
}
