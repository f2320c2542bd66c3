import { connect } from '../db/client.ts'
import type { Env } from '../env.ts'
import { describeError, log } from '../lib/log.ts'
import { cleanUp } from './clean-up.ts'
import { sendWeeklyDigests } from './digest.ts'
import { establishPlatforms } from './establishment.ts'
import { watchAgentKeys } from './key-expiry.ts'
import { watchVerifications } from './kyc.ts'
import { sendMails } from './mail.ts'
import { carryOutMoves } from './moves.ts'
import { recheckOwnership } from './ownership.ts'
import type { JobScope } from './scope.ts'
import { snapshotScores } from './snapshots.ts'
import { recordRuns } from './store.ts'
import { sweepOutbox } from './sweep.ts'
import { sequenceLog } from './transparency.ts'
import { foldUsage } from './usage.ts'

const DEADLINE_MS = 60_000

/** The jobs of each minute, in the order in which they run; each is safe to run twice, also concurrently. */
export const JOBS = {
  transparency_log: sequenceLog,
  trust_snapshots: snapshotScores,
  outbox_sweep: sweepOutbox,
  usage_fold: foldUsage,
  clean_up: cleanUp,
  kyc_watch: watchVerifications,
  key_expiry: watchAgentKeys,
  ownership_recheck: recheckOwnership,
  weekly_digest: sendWeeklyDigests,
  platform_moves: carryOutMoves,
  platform_establishment: establishPlatforms,
  mail: sendMails,
} as const satisfies Record<string, (scope: JobScope) => Promise<Record<string, number>>>

/**
 * Runs all jobs, one after the other, unless the service is read-only; a job that fails is logged and does not prevent
 * the others.
 *
 * @throws Error after the last job if any failed
 */
export async function runJobs(env: Env, now: Date): Promise<void> {
  if (env.READ_ONLY) return log('info', 'read_only', {})
  const freshDb = () => connect(env, AbortSignal.timeout(DEADLINE_MS))
  const [succeeded, failed]: [string[], string[]] = [[], []]
  for (const [name, job] of Object.entries(JOBS)) {
    try {
      const done = await job({ env, db: freshDb(), now })
      succeeded.push(name)
      log('info', 'job_done', { job: name, ...done })
    } catch (error) {
      failed.push(name)
      log('error', 'job_failed', { job: name, ...describeError(error) })
    }
  }
  await recordRuns(freshDb(), succeeded, now)
  if (failed.length > 0) throw new Error(`jobs failed: ${failed.join(', ')}`)
}
