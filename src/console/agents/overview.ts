import type { Source } from '../../db/enums.ts'
import type { Ctx } from '../../http/context.ts'
import { utcDay } from '../../lib/time.ts'
import { shownRecord } from '../../pages/agent-record.ts'
import { whySection } from '../../pages/agent-score.ts'
import { type AgentOnPage, findAgentPage } from '../../pages/agent-store.ts'
import { HISTORY_DAYS } from '../../pages/history.ts'
import { capitalized, day, type Html, html, section, when } from '../../pages/html.ts'
import { GOOD_WORK, scoreAfter } from '../../trust/raise.ts'
import { toDecimal } from '../../trust/score.ts'
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
  const { reg, status } = own.agent
  const incidents = agentPath(reg, '/incidents')
  const { rows, judged, standing, open, answer, plots } = await shownRecord(page, DAYS, () => incidents)
  const why = { reg, baseUrl: c.get('env').BASE_URL, standing, open, isIdentified: true }
  return html`${answer(incidents)}
${stateLine(own, c.get('now')())}
${status === 'active' && raising(reg, (source) => scoreAfter(source, rows, page.today, page.open_outages))}
${whySection(judged, why)}
${section('history', `The last ${DAYS} days`, plots)}`
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
  const content = html`<p>The score after ${GOOD_WORK.days} days with ${GOOD_WORK.tasks} successful, graded, prompt tasks each${idle !== null && html`; without a task, it would be ${toDecimal(idle)}`}:</p>
<ol class="list">${ways.map(([source, text]) => {
    const score = after(source) ?? 0
    return html`<li class="split"><span>${text}</span><span class="number"><b>${toDecimal(score)}</b>${idle !== null && (score > idle ? ` (+${toDecimal(score - idle)})` : ' (adds nothing)')}</span></li>`
  })}</ol>`
  return section('raise', 'What would raise it', content)
}
