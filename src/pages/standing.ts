import type { AgentStatus, OperatorStatus, Standing } from '../db/enums.ts'
import { dayNumber } from '../lib/time.ts'
import { recordOf, type ScoreBasis } from '../trust/basis.ts'
import type { Rollup } from '../trust/rollup.ts'
import { MIN_TASKS, toDecimal } from '../trust/score.ts'
import { STANDING_WORDS, standingOf } from '../trust/standing.ts'
import { WINDOW_DAYS } from '../trust/window.ts'
import { capitalized, counted, type Html, html } from './html.ts'

/** The icon of each standing, and the color of its badge: white text has a contrast of at least 4.5:1 on it. */
export const LOOKS = {
  suspended: { icon: '⊘', color: '#8c1d40' },
  deactivated: { icon: '■', color: '#5f6871' },
  critical: { icon: '!', color: '#b3362f' },
  unrated: { icon: '…', color: '#4c6072' },
  poor: { icon: '▼', color: '#a8430b' },
  self_reported: { icon: '?', color: '#6b4fa0' },
  mixed: { icon: '◆', color: '#6b6400' },
  attested: { icon: '✓', color: '#0b6e6e' },
  established: { icon: '★', color: '#1f7a44' },
} as const satisfies Record<Standing, { icon: string; color: string }>

interface Judgeable {
  operator_status: OperatorStatus
  status: AgentStatus
  basis: ScoreBasis
}

/** What the pages show of the record of an agent: its standing, and its score as a decimal text. */
export function shownOf({ operator_status, status, basis }: Judgeable) {
  const { score, standing: record } = recordOf(basis)
  const { open_critical } = basis
  return {
    standing: standingOf({ operator_status, status, open_critical, record }),
    score: score && toDecimal(score.overall),
  }
}

/** A standing as a tag with its icon. */
export function standingTag(standing: Standing): Html {
  return html`<span class="tag is-${standing}"><span aria-hidden="true">${LOOKS[standing].icon}</span> ${STANDING_WORDS[standing]}</span>`
}

/** What the sentence about a standing names. */
interface Facts {
  rows: readonly Rollup[]
  /** The last day of the window; of a deactivated agent, the day of its deactivation. */
  today: string
  /** The number of tasks in the window, and of days with tasks. */
  tasks: number
  days: number
  has_events: boolean
  open_critical: boolean
}

/** The standing of an agent and what it means, in one sentence. */
export function standingPanel(standing: Standing, facts: Facts): Html {
  return html`<div class="standing is-${standing}"><span class="icon" aria-hidden="true">${LOOKS[standing].icon}</span><p><b>${capitalized(STANDING_WORDS[standing])}</b><br>${sentenceOf(standing, facts)}</p></div>`
}

/** The sentence about a standing, without a period. */
export function sentenceOf(standing: Standing, facts: Facts): string {
  switch (standing) {
    case 'suspended':
      return 'Suspended by the registry. Do not rely on it'
    case 'deactivated':
      return `Permanently deactivated by its operator on ${facts.today}`
    case 'critical':
      return `A serious failure was reported ${facts.open_critical ? 'and is not resolved' : lastCritical(facts)}`
    case 'unrated':
      return facts.tasks === 0 && facts.has_events
        ? `Nothing reported for ${WINDOW_DAYS} days`
        : `Too early to tell: ${facts.tasks} of the ${MIN_TASKS} tasks that a score needs`
    case 'poor':
      return 'Too much of its work went wrong'
    case 'self_reported':
      return 'Nobody independent vouches for it'
    case 'mixed':
      return 'Neither a good record nor a bad one'
    case 'attested':
      return 'Good record so far, reported by platforms that its operator does not run'
    case 'established':
      return `Good record over ${counted(facts.days, 'day')}, reported by established platforms`
  }
}

function lastCritical({ rows, today }: Facts): string {
  const days = rows.flatMap(({ day, incidents_critical }) =>
    incidents_critical > 0 && day <= today ? day : [],
  )
  const age = dayNumber(today) - dayNumber(days.toSorted().at(-1) ?? today)
  return age === 0 ? 'today' : `${counted(age, 'day')} ago`
}
