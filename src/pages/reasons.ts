import type { Dimension, ReadingName } from '../trust/dimensions.ts'
import type { RiskCode } from '../trust/risks.ts'

/** What each dimension measures. */
export const MEANING: Record<Dimension, string> = {
  reliability: 'Share of tasks completed, reduced by downtime',
  accuracy: 'Correctness of outputs',
  safety: 'Inverse of the frequency and severity of faults',
  speed: 'Response times',
  consistency: 'Inverse of the frequency and severity of bad days',
}

const RECENT_COUNTS_MORE = 'recent tasks count more'

/** A sentence about the evidence of a dimension, such as "34.4 good and 0.6 bad tasks". */
export const BASIS: Record<ReadingName, (evidence: string) => string> = {
  tasks: (evidence) => `Based on evidence worth ${evidence}; ${RECENT_COUNTS_MORE}.`,
  days: (evidence) => `Based on evidence worth ${evidence}, with a limit per day; ${RECENT_COUNTS_MORE}.`,
  fortnight: (evidence) =>
    `Based on the newest 70 tasks that others reported, worth ${evidence}; ${RECENT_COUNTS_MORE}.`,
  ceiling: (evidence) => `Capped because of a critical event; the evidence itself is worth ${evidence}.`,
}

const LOW = 'more good evidence; bad evidence counts less every day, and not at all after 90 days'
const RECENT = 'good tasks that others report: the newest 70 count'
const GRADES = 'completed tasks reported with quality or correct'
const TIMES = 'completed tasks reported with response_ms'

/** What would raise a score that a risk factor has lowered. */
export const RAISED_BY: Record<RiskCode, string> = {
  RECORD_SHORT: 'more good tasks, on more days',
  RECORD_STALE: 'new tasks',
  RECORD_BURST: 'a steady number of tasks per day',
  RECORD_UNATTESTED: 'reports by a platform of another verified person',
  RECORD_UNPROVEN: 'an identity check of its operator',
  RECORD_PEER_ONLY: 'reports by an established platform',
  RECORD_CONTRADICTED: 'reports of its operator that agree with those of others',
  RELIABILITY_OUTAGE: 'a startup or a completed task, reported by the side that reported the outage',
  RELIABILITY_DOWNTIME: 'less unplanned downtime',
  RELIABILITY_RECENT: RECENT,
  RELIABILITY_LOW: LOW,
  ACCURACY_NO_EVIDENCE: GRADES,
  ACCURACY_PARTIAL_EVIDENCE: GRADES,
  ACCURACY_UNATTESTED: `${GRADES} by others`,
  ACCURACY_RECENT: RECENT,
  ACCURACY_LOW: LOW,
  SAFETY_RECENT_CRITICAL: 'time without another one',
  SAFETY_PAST_CRITICAL: 'time without another one',
  SAFETY_LOW: LOW,
  SPEED_NO_EVIDENCE: TIMES,
  SPEED_PARTIAL_EVIDENCE: TIMES,
  SPEED_UNATTESTED: `${TIMES} by others`,
  SPEED_RECENT: RECENT,
  SPEED_LOW: LOW,
  CONSISTENCY_LOW: LOW,
}
