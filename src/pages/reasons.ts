import type { Source } from '../db/enums.ts'
import { NEUTRAL } from '../trust/dimensions.ts'
import type { Explanation } from '../trust/explain.ts'
import type { RiskCode } from '../trust/risks.ts'
import type { Rollup } from '../trust/rollup.ts'
import type { TrustScore } from '../trust/score.ts'
import { WINDOW_DAYS } from '../trust/window.ts'
import { count, counted } from './html.ts'

/** What each risk factor means to somebody who considers using the agent; the strongest reason first. */
const PLAIN: Record<RiskCode, string> = {
  SAFETY_RECENT_CRITICAL: 'A critical event was reported in the last 30 days',
  RELIABILITY_OUTAGE: 'It is down: an outage has not ended',
  RECORD_UNPROVEN: 'Platforms report on it, but who operates it is not known',
  RECORD_UNATTESTED: 'Only its operator reports on it; nobody else confirms that',
  RECORD_CONTRADICTED: 'Its operator reports more success than others do',
  SAFETY_LOW: 'Incidents and errors are frequent or severe',
  RELIABILITY_LOW: 'Too many of its tasks failed',
  ACCURACY_LOW: 'Too many of its outputs were wrong',
  RELIABILITY_DOWNTIME: 'It was down too often',
  CONSISTENCY_LOW: 'It has too many bad days',
  RELIABILITY_RECENT: 'More of its newest tasks fail than before',
  ACCURACY_RECENT: 'More of its newest outputs are wrong than before',
  SAFETY_PAST_CRITICAL: `A critical event was reported in the last ${WINDOW_DAYS} days`,
  RECORD_PEER_ONLY: 'No established platform reports on it',
  RECORD_STALE: 'Nothing was reported for 30 days',
  RECORD_SHORT: 'Its record is short',
  RECORD_BURST: 'Most of its tasks were reported on one day',
  SPEED_LOW: 'It is slow',
  SPEED_RECENT: 'Its newest tasks are slower than before',
  ACCURACY_NO_EVIDENCE: 'Nobody reports whether its outputs are right',
  ACCURACY_UNATTESTED: 'Nobody independent reports whether its outputs are right',
  ACCURACY_PARTIAL_EVIDENCE: 'For most tasks, nobody reports whether the output was right',
  SPEED_NO_EVIDENCE: 'Nobody reports how fast it is',
  SPEED_UNATTESTED: 'Nobody independent reports how fast it is',
  SPEED_PARTIAL_EVIDENCE: 'For most tasks, nobody reports how fast it was',
}
const STRONGEST_FIRST = Object.keys(PLAIN) as RiskCode[]

const SHOWN = 3
/** The share of failed tasks up to which they speak for an agent. */
const FEW = 0.1

/** A reason for or against using an agent. */
interface Reason {
  isGood: boolean
  text: string
}

/** What an agent did in the window, added up. */
export type Totals = ReturnType<typeof totalsOf>

export function totalsOf(rows: readonly Rollup[]) {
  const tasks: Record<Source, number> = { self: 0, unproven: 0, peer: 0, independent: 0 }
  const sum = { completed: 0, failed: 0, graded: 0, grades: 0, timed: 0, prompt: 0, faults: 0, critical: 0 }
  const days = new Map<string, { completed: number; failed: number }>()
  for (const row of rows) {
    const { day, source, completed, failed } = row
    tasks[source] += completed + failed
    sum.completed += completed
    sum.failed += failed
    sum.graded += row.graded_count
    sum.grades += row.graded_milli
    sum.timed += row.latency_count
    sum.prompt += row.latency_satisfied
    sum.faults += row.incidents_info + row.incidents_warning + row.incidents_error + row.incidents_critical
    sum.critical += row.incidents_critical
    const known = days.get(day) ?? { completed: 0, failed: 0 }
    days.set(day, { completed: known.completed + completed, failed: known.failed + failed })
  }
  const busy = [...days.values()].filter(({ completed, failed }) => completed + failed > 0)
  const bad = busy.filter(({ completed, failed }) => failed >= completed).length
  return { ...sum, tasks, all: sum.completed + sum.failed, days: busy.length, bad_days: bad }
}

/** The three strongest reasons for or against using an agent; those against it come first. */
export function reasonsOf(
  { risk_factors }: Explanation,
  score: TrustScore,
  totals: Totals & { open: number; isIdentified: boolean },
): Reason[] {
  const found = new Set<RiskCode>(risk_factors.map(({ code }) => code))
  if (found.has('RECORD_UNPROVEN')) found.delete('RECORD_UNATTESTED') // which it explains
  const failures = `${count(totals.failed)} of its ${counted(totals.all, 'task')} failed`
  const against: string[] = STRONGEST_FIRST.filter((code) => found.has(code)).map((code) =>
    code === 'RELIABILITY_LOW' ? failures : PLAIN[code],
  )
  const areMany = totals.failed > FEW * totals.all
  if (areMany && !found.has('RELIABILITY_LOW')) against.push(failures)
  if (totals.open > 0) against.push(`${counted(totals.open, 'incident')} open`)
  if (!totals.isIdentified) against.push('The identity of its operator is not verified')
  return [
    ...against.map((text) => ({ isGood: false, text })),
    ...inFavor(score, totals).map((text) => ({ isGood: true, text })),
  ].slice(0, SHOWN)
}

function inFavor(score: TrustScore, { tasks, all, failed, faults }: Totals): string[] {
  const by = (who: string, reported: number) =>
    `${who} reported ${count(reported)} of its ${counted(all, 'task')}`
  return [
    tasks.independent > 0 && by('Established platforms', tasks.independent),
    tasks.independent === 0 && tasks.peer > 0 && by('Platforms of other verified persons', tasks.peer),
    failed <= FEW * all &&
      `${failed === 0 ? 'None' : `Only ${count(failed)}`} of its ${counted(all, 'task')} failed`,
    faults === 0 && `No incident was reported in ${WINDOW_DAYS} days`,
    score.accuracy > NEUTRAL && 'Its outputs are mostly right',
  ].filter((text) => text !== false)
}
