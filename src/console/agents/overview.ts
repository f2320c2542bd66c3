import type { Source } from '../../db/enums.ts'
import type { Ctx } from '../../http/context.ts'
import { utcDay } from '../../lib/time.ts'
import { judgeAgent, scorePanel, whySection } from '../../pages/agent-score.ts'
import { type AgentOnPage, findAgentPage } from '../../pages/agent-store.ts'
import { fromItsStart, HISTORY_DAYS, historyOf } from '../../pages/history.ts'
import { capitalized, day, type Html, html, when } from '../../pages/html.ts'
import { scorePlot, taskPlot } from '../../pages/plot.ts'
import { standingPanel } from '../../pages/standing.ts'
import { readRows } from '../../trust/inputs.ts'
import { GOOD_WORK, scoreAfter } from '../../trust/raise.ts'
import { toDecimal } from '../../trust/score.ts'
import { standingOf } from '../../trust/standing.ts'
import { CLASS_MEANING } from '../../wire/agent-fields.ts'
import { agentNotFound } from '../../wire/agent-number.ts'
import { consolePages } from '../router.ts'
import { AGENT, agentPath, regOf, requireOwnAnd, showTab } from './frame.ts'
import type { AgentRow } from './store.ts'

const [DAYS] = HISTORY_DAYS

/** What others see first of an agent, and how its operator can raise the score. */
export const agentOverviewPages = consolePages().page(AGENT, async (c) => {
  const reg = regOf(c)
  const [own, page] = await requireOwnAnd(c, findAgentPage(c.get('db'), reg, utcDay(c.get('now')()), DAYS))
  if (!page) throw agentNotFound(reg)
  return showTab(c, own, '', await overview(c, own, page))
})

async function overview(c: Ctx, own: AgentRow, page: AgentOnPage): Promise<Html> {
  const { agent, stats, basis } = own
  const { today, open_outages } = page
  const rows = readRows(page.rows ?? '')
  const judged = await judgeAgent(rows, today, open_outages)
  const { score } = judged
  const { open_critical } = basis
  const standing = standingOf({
    operator_status: 'active',
    status: agent.status,
    open_critical,
    record: judged.standing,
  })
  const facts = {
    rows,
    today,
    tasks: judged.tasks,
    days: judged.totals.days,
    has_events: stats.last_active_at !== null,
    open_critical,
  }
  const open = stats.open_incident_count
  const given = { rows, earlier: page.earlier ?? [], scores: page.scores ?? [], now: score?.overall ?? null }
  const history = fromItsStart(historyOf(given, today, DAYS))
  const marks = (page.incidents ?? []).map(({ created_at, severity }) => ({
    day: created_at.slice(0, 10),
    href: agentPath(agent.reg, '/incidents'),
    label: `${severity} incident on ${created_at.slice(0, 10)}`,
  }))
  return html`<div class="answer is-${standing}">${standingPanel(standing, facts)}
${scorePanel(judged, { standing, open, incidents: agentPath(agent.reg, '/incidents') })}</div>
${stateLine(own, c.get('now')())}
${agent.status === 'active' && raising(agent.reg, (source) => scoreAfter(source, rows, today, open_outages))}
${whySection(judged, { reg: agent.reg, baseUrl: c.get('env').BASE_URL, standing, open, isIdentified: true })}
<section aria-labelledby="history"><h2 id="history">The last ${DAYS} days</h2>${scorePlot(history, marks)}${taskPlot(history)}</section>`
}

function stateLine({ agent, stats }: AgentRow, now: Date): Html {
  return html`<p class="hint">${capitalized(CLASS_MEANING[agent.class])}, registered on ${day(agent.registered_at)}${stats.last_active_at ? html`, last event ${when(stats.last_active_at, now)}` : ', no events yet'}${agent.deactivated_at && html`, deactivated on ${day(agent.deactivated_at)}`}</p>`
}

/** The three ways to report good work, each with the score that it leads to, and what it adds to that without work. */
function raising(reg: string, after: (source: Source | null) => number | null): Html {
  const idle = after(null)
  const ways = [
    ['self', html`You report them with <a href="${agentPath(reg, '/activity')}">a key of your own</a>`],
    [
      'peer',
      html`<a href="${agentPath(reg, '/settings#platform')}">A platform</a> of another person reports them, after both have passed the <a href="/console/account#kyc">identity check</a>`,
    ],
    [
      'independent',
      html`An <a href="/docs/trust-score#who-reports">established platform</a> reports them, after your <a href="/console/account#kyc">identity check</a>`,
    ],
  ] as const
  return html`<section aria-labelledby="raise"><h2 id="raise">What would raise it</h2>
<p>The score after ${GOOD_WORK.days} days with ${GOOD_WORK.tasks} successful, graded, prompt tasks each${idle !== null && html`; without a task, it would be ${toDecimal(idle)}`}:</p>
<ol class="list">${ways.map(([source, text]) => {
    const score = after(source) ?? 0
    return html`<li class="split"><span>${text}</span><span class="number"><b>${toDecimal(score)}</b>${idle !== null && (score > idle ? ` (+${toDecimal(score - idle)})` : ' (adds nothing)')}</span></li>`
  })}</ol></section>`
}
