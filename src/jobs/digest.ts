import { isHopeless } from '../db/errors.ts'
import { describeError, log } from '../lib/log.ts'
import { findDigestsDue, sendDigests, skipDigests } from '../notifications/digest-store.ts'
import type { JobScope } from './scope.ts'

const JOB = 'weekly_digest'
const PAGE = 200
const PAGES_MAX = 20
const PARTS = 6 // three splits lead from a page (200) to a single operator; each statement may take five seconds

type Done = { marked: number; sent: number; failed: number }

/**
 * Sends the digest of last week to each operator once, from Monday on; missed runs are caught up on.
 *
 * @throws Error after the last page if the digest of any operator failed
 */
export async function sendWeeklyDigests(scope: JobScope): Promise<{ sent: number }> {
  let [sent, failed] = [0, 0]
  for (let page = 0; page < PAGES_MAX; page++) {
    const due = await findDigestsDue(scope.db, scope.now, PAGE)
    if (due.length === 0) break
    const done = await sendTo(scope, due)
    sent += done.sent
    failed += done.failed
    if (done.marked === 0) break
  }
  if (failed > 0) throw new Error(`${failed} digests failed, ${sent} were sent`)
  return { sent }
}

/** Splits a page that fails until the failing operator is isolated and skipped, so that the others get their digests. */
async function sendTo(scope: JobScope, operatorIds: readonly string[]): Promise<Done> {
  const { db, now } = scope
  try {
    return { ...(await sendDigests(db, now, operatorIds)), failed: 0 }
  } catch (error) {
    if (!isHopeless(error)) throw error
    if (operatorIds.length > 1) return sendInParts(scope, operatorIds)
    log('error', 'page_failed', { job: JOB, from: operatorIds[0], ...describeError(error) })
    await skipDigests(db, now, operatorIds)
    return { marked: 1, sent: 0, failed: 1 }
  }
}

async function sendInParts(scope: JobScope, operatorIds: readonly string[]): Promise<Done> {
  const size = Math.ceil(operatorIds.length / PARTS)
  const sum: Done = { marked: 0, sent: 0, failed: 0 }
  for (let from = 0; from < operatorIds.length; from += size) {
    const done = await sendTo(scope, operatorIds.slice(from, from + size))
    sum.marked += done.marked
    sum.sent += done.sent
    sum.failed += done.failed
  }
  return sum
}
