import { readRows } from '../trust/inputs.ts'
import { standingOf } from '../trust/standing.ts'
import { judgeAgent, scorePanel } from './agent-score.ts'
import type { AgentOnPage } from './agent-store.ts'
import { fromItsStart, historyOf } from './history.ts'
import { html } from './html.ts'
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
  const [now, earlier, scores] = [judged.score?.overall ?? null, page.earlier ?? [], page.scores ?? []]
  const history = fromItsStart(historyOf({ rows, earlier, scores, now }, today, days))
  const marks = (page.incidents ?? []).map(({ created_at, severity }, n) => {
    const day = created_at.slice(0, 10)
    return { day, href: hrefOf(n), label: `${severity} incident on ${day}` }
  })
  return {
    rows,
    judged,
    ...shown,
    sentence: sentenceOf(standing, facts),
    answer: (incidents: string) => html`<div class="answer is-${standing}">
${standingPanel(standing, facts)}
${scorePanel(judged, { ...shown, incidents })}
</div>`,
    plots: html`${scorePlot(history, marks)}
${taskPlot(history)}`,
  }
}
