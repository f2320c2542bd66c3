import type { AgentStatus, OperatorStatus, RecordStanding, Standing } from '../db/enums.ts'
import type { TrustScore } from './score.ts'
import { RECENT_CRITICAL_DAYS, type Window } from './window.ts'

const POOR_BELOW = 45
const MIXED_BELOW = 60
const ESTABLISHED_TASKS = 10
const ESTABLISHED_DAYS = 3

/** When an agent has each standing; the first that applies. The docs and the OpenAPI document show these texts. */
export const STANDING_RULES = {
  suspended: 'its operator is suspended',
  deactivated: 'the agent is deactivated',
  critical: `a critical incident is open, or a critical event is less than ${RECENT_CRITICAL_DAYS} days old`,
  unrated: 'it has no score, because too little was reported',
  poor: `its score is below ${POOR_BELOW}.0`,
  self_reported: 'no task in the window has the source `peer` or `independent`',
  mixed: `its score is below ${MIXED_BELOW}.0`,
  attested: `fewer than ${ESTABLISHED_TASKS} tasks have the source \`independent\`, or these are of fewer than ${ESTABLISHED_DAYS} days, or the score is provisional`,
  established: 'none of the others applies',
} as const satisfies Record<Standing, string>

/** The word for each standing where people read it: pages, badges, and mails. */
export const STANDING_WORDS = {
  suspended: 'suspended',
  deactivated: 'deactivated',
  critical: 'critical incident',
  unrated: 'unrated',
  poor: 'poor',
  self_reported: 'self-reported',
  mixed: 'mixed',
  attested: 'attested',
  established: 'established',
} as const satisfies Record<Standing, string>

/** What a standing depends on. */
interface Standings {
  operator_status: OperatorStatus
  status: AgentStatus
  /** Whether a critical incident is open. */
  open_critical: boolean
  /** From `recordStanding`. */
  record: RecordStanding
}

/** The standing of an agent: one word on whether to rely on it. Danger comes first. */
export function standingOf({ operator_status, status, open_critical, record }: Standings): Standing {
  if (operator_status === 'suspended') return 'suspended'
  if (status === 'deactivated') return 'deactivated'
  return open_critical ? 'critical' : record
}

/**
 * The standing that follows from what was reported.
 *
 * @param score what `scoreWindow` returns for the same window
 */
export function recordStanding(
  window: Window,
  score: Pick<TrustScore, 'overall' | 'provisional'> | null,
): RecordStanding {
  let [attested, independent] = [0, 0]
  const days = new Set<number>()
  for (const [at, { source, completed, failed, incidents_critical }] of window.rows.entries()) {
    const age = window.ages[at] as number
    if (incidents_critical > 0 && age < RECENT_CRITICAL_DAYS) return 'critical'
    const tasks = completed + failed
    if (source === 'peer' || source === 'independent') attested += tasks
    if (source === 'independent' && tasks > 0) {
      independent += tasks
      days.add(age)
    }
  }
  if (!score) return 'unrated'
  if (score.overall < POOR_BELOW) return 'poor'
  if (attested === 0) return 'self_reported'
  if (score.overall < MIXED_BELOW) return 'mixed'
  const isShort = independent < ESTABLISHED_TASKS || days.size < ESTABLISHED_DAYS || score.provisional
  return isShort ? 'attested' : 'established'
}
