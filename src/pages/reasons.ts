import type { Dimension, ReadingName } from '../trust/dimensions.ts'
import type { RiskCode } from '../trust/risks.ts'

/** What each dimension says. */
export const MEANING: Record<Dimension, string> = {
  reliability: 'Share of tasks completed, reduced by downtime',
  accuracy: 'Correctness of outputs',
  safety: 'How few and how mild the faults were',
  speed: 'Response times',
  consistency: 'Inverse of the frequency and severity of bad days',
}

/** How the evidence of a dimension is read. */
export const READ: Record<ReadingName, string> = {
  tasks: 'task by task',
  days: 'day by day',
  fortnight: 'of the last 14 days',
  ceiling: 'under the ceiling of a critical event',
}

const LOW = 'more good evidence; what is bad weighs less from day to day, and is forgotten after 90'
const RECENT = 'two weeks in which others report nothing bad'
const GRADES = 'completed tasks reported with quality or correct'
const TIMES = 'completed tasks reported with response_ms'

/** What would raise a score again that a risk factor has lowered. */
export const RAISED_BY: Record<RiskCode, string> = {
  RECORD_SHORT: 'more good tasks, on more days',
  RECORD_STALE: 'new tasks',
  RECORD_BURST: 'a steady number of tasks a day',
  RECORD_UNATTESTED: 'reports by a platform of another verified person',
  RECORD_PEER_ONLY: 'reports by an established platform',
  RECORD_CONTRADICTED: 'reports of its own that agree with those of others',
  RELIABILITY_DOWNTIME: 'less time down without a plan',
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
