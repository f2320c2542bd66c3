import { probe } from '../ownership/probe.ts'
import { type DueProof, findDueProofs, recordRechecks } from '../ownership/recheck-store.ts'
import type { JobScope } from './scope.ts'

// 60 / 6 batches of at most five seconds: within the minute of the job, and within the subrequest limit of an invocation.
const PER_RUN = 60
const PARALLEL = 6 // a Worker may have six connections open

/**
 * Checks again the proofs of ownership whose last check is a week old; what does not fit into a run waits for the next.
 * These checks count against no allowance: an operator that has used one up could otherwise keep a domain that it has lost.
 * A verified agent causes one a week, after a first check that was counted, and `PER_RUN` limits all together.
 */
export async function recheckOwnership({ env, db, now }: JobScope): Promise<Record<string, number>> {
  const due = await findDueProofs(db, now, PER_RUN)
  const checks: Record<'found' | 'missed' | 'unknown', string[]> = { found: [], missed: [], unknown: [] }
  const recheck = async (proof: DueProof) => {
    const { outcome } = await probe(env, proof)
    checks[outcome].push(proof.id)
  }
  for (let from = 0; from < due.length; from += PARALLEL) {
    await Promise.all(due.slice(from, from + PARALLEL).map(recheck))
  }
  const { checked, lost } = await recordRechecks(db, checks, now)
  return { checked, lost, unanswered: checks.unknown.length }
}
