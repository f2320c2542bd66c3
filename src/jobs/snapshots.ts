import type { Env } from '../env.ts'
import { describeError, log } from '../lib/log.ts'
import { utcDay } from '../lib/time.ts'
import { withTimeout } from '../lib/timeout.ts'
import { connectQStash } from '../services/qstash.ts'
import { takeSnapshot } from '../trust/snapshot.ts'
import { type AgentRange, findDue, findRanges, writeSnapshots } from '../trust/snapshot-store.ts'
import { publishOrLeave } from '../webhooks/outbox/publish.ts'
import type { JobScope } from './scope.ts'

/** The path to which QStash sends the pages that a run hands over, and the time that one may take. */
export const SNAPSHOTS_PATH = '/internal/qstash/snapshots'
export const PAGE_MS = 30_000

const JOB = 'trust_snapshots'
const PAGE = 500
// A run scores up to 10,000 agents itself, two pages at a time, and starts no page after OWN_MS.
const OWN_PAGES = 20
const LANES = 2
const OWN_MS = 25_000
// Further pages are handed over to QStash, all in one call.
const HANDED_PAGES = 100
const HANDED_PARALLEL = 10
const HAND_OVER_MS = 10_000

/**
 * Scores the agents with events since their last snapshot and, once per UTC day, all agents whose window has moved. Pages
 * beyond those of one run are sent to the Worker itself through QStash; the next minute picks up lost and remaining pages.
 *
 * @throws Error after the last page if any failed
 */
export async function snapshotScores({ env, db, now }: JobScope): Promise<Record<string, number>> {
  const began = Date.now()
  const ranges = await findRanges(db, utcDay(now), PAGE, OWN_PAGES + HANDED_PAGES)
  const own = ranges.splice(0, OWN_PAGES)
  const handed = await handOver(env, ranges, now)
  let [agents, failed] = [0, 0]
  const work = async () => {
    for (let range = own.shift(); range && Date.now() - began < OWN_MS; range = own.shift()) {
      await snapshotPage({ env, db, now }, range).then(
        (written) => {
          agents += written
        },
        (error) => {
          failed += 1
          log('error', 'page_failed', { job: JOB, from: range?.from, ...describeError(error) })
        },
      )
    }
  }
  await Promise.all(Array.from({ length: LANES }, work))
  if (failed > 0) throw new Error(`${failed} pages failed, ${agents} agents were written`)
  return { agents, handed }
}

/**
 * Scores the agents of a range that are due.
 *
 * @returns how many this call has written
 */
export async function snapshotPage({ env, db, now }: JobScope, range: AgentRange): Promise<number> {
  const due = await findDue(db, utcDay(now), range, PAGE)
  if (due.length === 0) return 0
  const snapshots = await Promise.all(due.map((agent) => takeSnapshot(agent, now)))
  const { written, deliveries } = await writeSnapshots(db, snapshots, now)
  if (deliveries) await publishOrLeave(env, deliveries, now, { job: JOB })
  return written
}

/** Sends pages to the Worker itself through QStash; returns their number, 0 if QStash fails: the next minute tries again. */
async function handOver(env: Env, ranges: readonly AgentRange[], now: Date): Promise<number> {
  if (ranges.length === 0) return 0
  const messages = ranges.map((range) => ({
    url: `${env.BASE_URL}${SNAPSHOTS_PATH}`,
    body: { ...range, at: now.toISOString() },
    // No retries: the next minute hands over the page again, and a retried one would find nothing to do.
    retries: 0,
    timeout: PAGE_MS / 1000,
    label: JOB,
    flowControl: { key: JOB, parallelism: HANDED_PARALLEL },
    deduplicationId: `${JOB}:${now.getTime()}:${range.from}`,
  }))
  try {
    await withTimeout(HAND_OVER_MS, connectQStash(env).batchJSON(messages))
    return messages.length
  } catch (error) {
    log('warning', 'publish_failed', { job: JOB, ...describeError(error) })
    return 0
  }
}
