import { Hono } from 'hono'
import * as z from 'zod'
import { toProfile } from '../agents/profile.ts'
import type { AgentProfile } from '../agents/responses.ts'
import type { App } from '../http/context.ts'
import { utcDay } from '../lib/time.ts'
import { readRows } from '../trust/inputs.ts'
import type { Rollup } from '../trust/rollup.ts'
import { standingOf } from '../trust/standing.ts'
import { tokenKeysOf } from '../verify/token-keys.ts'
import { agentNotFound } from '../wire/agent-number.ts'
import {
  checkedSection,
  incidentId,
  incidentSection,
  ownerLine,
  recordSection,
  statedSection,
  summaryOf,
  titleOf,
  withheldNote,
} from './agent-facts.ts'
import { AGENT_PATH, inCapitals, requireAgentNumber } from './agent-number.ts'
import { judgeAgent, scorePanel, whySection } from './agent-score.ts'
import { shareSection } from './agent-share.ts'
import { type AgentOnPage, findAgentPage } from './agent-store.ts'
import { fromItsStart, HISTORY_DAYS, type HistoryDays, historyOf } from './history.ts'
import { type Html, html, raw } from './html.ts'
import { type Mark, scorePlot, taskPlot } from './plot.ts'
import { parseQuery, publicPage, respond } from './respond.ts'
import { sentenceOf, standingPanel } from './standing.ts'

const [DEFAULT_DAYS] = HISTORY_DAYS

const query = z.object({
  days: z
    .enum(HISTORY_DAYS.map(String) as `${HistoryDays}`[], `must be ${HISTORY_DAYS.join(', ')}`)
    .default(`${DEFAULT_DAYS}`)
    .transform(Number),
})

/** The page of an agent. */
export const agentPages = new Hono<App>().get(AGENT_PATH, ...publicPage(), inCapitals(), async (c) => {
  const reg = requireAgentNumber(c.req.param('reg') ?? '')
  const { days } = parseQuery(c, query)
  const now = c.get('now')()
  const { BASE_URL: baseUrl } = c.get('env')
  const [found, tokenKeys] = await Promise.all([
    findAgentPage(c.get('db'), reg, utcDay(now), days),
    tokenKeysOf(c.get('env')),
  ])
  if (!found) throw agentNotFound(reg)
  const { agent, today, incidents } = found
  const rows = readRows(found.rows ?? '')
  const judged = await judgeAgent(rows, today, found.open_outages)
  const { score } = judged
  const profile = toProfile(agent, score)
  const { open_critical } = agent.basis
  const isWithheld = profile.withheld?.includes('name') ?? false
  const standing = standingOf({ ...profile, open_critical, record: judged.standing })
  const facts = {
    rows,
    today,
    tasks: judged.tasks,
    days: judged.totals.days,
    has_events: profile.last_active_at !== null,
    open_critical,
  }
  return respond(c, {
    title: titleOf(profile),
    description: summaryOf(profile, standing, sentenceOf(standing, facts)),
    path: `/agents/${reg}`,
    json: `/api/v1/agents/${reg}`,
    preview: standing,
    head: linkedData(profile, baseUrl),
    main: html`${isWithheld && withheldNote(profile.operator_status === 'suspended')}
${heading(profile, isWithheld, now)}
<div class="agent">
<div>
<div class="answer is-${standing}">
${standingPanel(standing, facts)}
${scorePanel(judged, { standing, open: agent.open_incident_count })}
</div>
${whySection(judged, {
  reg,
  baseUrl,
  standing,
  open: agent.open_incident_count,
  isIdentified: profile.operator_kyc_status === 'verified',
})}
${historySection(found, { reg, rows, now: score?.overall ?? null, days })}
${incidentSection(incidents ?? [], profile, now)}
<p><a href="/agents/${reg}/log">All events and incidents</a></p>
</div>
<aside class="aside">
${checkedSection(profile, found.keys ?? [], now)}
${statedSection(profile, now)}
${recordSection(profile, now)}
${shareSection(reg, { baseUrl, state: `${standing}-${profile.trust_score_overall}`, signsTokens: tokenKeys.length > 0 })}
</aside>
</div>`,
  })
})

/** Number, name, domain, and operator. */
function heading(profile: AgentProfile, isWithheld: boolean, now: Date): Html {
  const { reg, name } = profile
  return html`<div class="head">
<p class="reg"><span class="number">${reg}</span> <button class="light small" data-copy="${reg}" hidden>Copy</button></p>
<h1>${isWithheld ? 'Name withheld' : html`<bdi>${name}</bdi>`}</h1>
${ownerLine(profile, now)}
</div>`
}

/** The score and the tasks of the last days, from the first on which there was one. */
function historySection(
  { earlier, scores, incidents, today }: AgentOnPage,
  { reg, days, ...judged }: { reg: string; rows: readonly Rollup[]; now: number | null; days: number },
): Html {
  const given = { ...judged, earlier: earlier ?? [], scores: scores ?? [] }
  const history = fromItsStart(historyOf(given, today, days))
  return html`<section aria-labelledby="history">
<div class="split"><h2 id="history">History</h2>${periods(reg, days)}</div>
${scorePlot(history, marksOf(incidents ?? []))}
${taskPlot(history)}
</section>`
}

function periods(reg: string, days: number): Html {
  return html`<nav aria-label="Length of the history"><ul class="plain">${HISTORY_DAYS.map(
    (each) =>
      html`<li><a href="/agents/${reg}${each === DEFAULT_DAYS ? '' : `?days=${each}`}#history"${each === days && raw(' aria-current="page"')}>${each} days</a></li>`,
  )}</ul></nav>`
}

/** The days of incidents, with links to them. */
function marksOf(incidents: NonNullable<AgentOnPage['incidents']>): Mark[] {
  return incidents.map(({ created_at, severity }, n) => ({
    day: created_at.slice(0, 10),
    href: `#${incidentId(n)}`,
    label: `${severity} incident on ${created_at.slice(0, 10)}`,
  }))
}

/** Structured data for search engines. Without a rating: the trust score is not a user review. */
function linkedData({ reg, name, description, registered_at }: AgentProfile, baseUrl: string): Html {
  const data = {
    '@context': 'https://schema.org',
    '@type': 'SoftwareApplication',
    identifier: reg,
    name,
    ...(description && { description }),
    url: `${baseUrl}/agents/${reg}`,
    dateCreated: registered_at,
  }
  const text = JSON.stringify(data).replaceAll('<', '\\u003c')
  return html`<script type="application/ld+json">${raw(text)}</script>`
}
