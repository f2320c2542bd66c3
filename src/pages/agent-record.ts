import { readRows } from '../trust/inputs.ts'
import { standingOf } from '../trust/standing.ts'
import { judgeAgent, scorePanel } from './agent-score.ts'
import type { AgentOnPage } from './agent-store.ts'
import { fromItsStart, historyOf } from './history.ts'
import { type Html, html } from './html.ts'
import { scorePlot, taskPlot } from './plot.ts'
import { sentenceOf, standingPanel } from './standing.ts'

/**
 * What the page of an agent, and its operator's console, show of its record.
 *
 * @param days length of the history
 * @param hrefOf the target of the mark of an incident, by its place in the list
 */
export async function shownRecord(page: AgentOnPage, days: number, hrefOf: (n: number) => string) {
  const { agent, today, open_outages } = page
  const { open_critical } = agent.basis
  const rows = readRows(page.rows ?? '')
  const judged = await judgeAgent(rows, today, open_outages)
  const { tasks, totals } = judged
  const standing = standingOf({ ...agent, open_critical, record: judged.standing })
  const has_events = agent.last_active_at !== null
  const facts = { rows, today, tasks, days: totals.days, has_events, open_critical }
  const shown = { standing, open: agent.open_incident_count }
  return {
    rows,
    judged,
    ...shown,
    sentence: sentenceOf(standing, facts),
    answer: (incidents: string) => html`<div class="answer is-${standing}">
${standingPanel(standing, facts)}
${scorePanel(judged, { ...shown, incidents })}
</div>`,
    plots: plotsOf(page, { rows, now: judged.score?.overall ?? null, days, hrefOf }),
  }
}

interface Plotted {
  rows: Parameters<typeof historyOf>[0]['rows']
  now: number | null
  days: number
  hrefOf: (n: number) => string
}

/** The score and the tasks of the last days, from the first on which there was one, with links to the incidents. */
function plotsOf({ earlier, scores, incidents, today }: AgentOnPage, given: Plotted): Html {
  const { days, hrefOf, ...judged } = given
  const known = { ...judged, earlier: earlier ?? [], scores: scores ?? [] }
  const history = fromItsStart(historyOf(known, today, days))
  const marks = (incidents ?? []).map(({ created_at, severity }, n) => {
    const day = created_at.slice(0, 10)
    return { day, href: hrefOf(n), label: `${severity} incident on ${day}` }
  })
  return html`${scorePlot(history, marks)}
${taskPlot(history)}`
}
