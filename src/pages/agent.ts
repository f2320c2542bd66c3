import { Hono } from 'hono'
import * as z from 'zod'
import { toProfile } from '../agents/profile.ts'
import type { AgentProfile } from '../agents/responses.ts'
import type { App } from '../http/context.ts'
import { utcDay } from '../lib/time.ts'
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
import { shownRecord } from './agent-record.ts'
import { whySection } from './agent-score.ts'
import { shareSection } from './agent-share.ts'
import { findAgentPage } from './agent-store.ts'
import { HISTORY_DAYS, type HistoryDays } from './history.ts'
import { type Html, html, navigation, raw } from './html.ts'
import { parseQuery, publicPage, respond } from './respond.ts'

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
  const record = await shownRecord(found, days, (n) => `#${incidentId(n)}`)
  const { judged, standing, open } = record
  const profile = toProfile(found.agent, judged.score)
  const isWithheld = profile.withheld?.includes('name') ?? false
  const isIdentified = profile.operator_kyc_status === 'verified'
  return respond(c, {
    title: titleOf(profile),
    description: summaryOf(profile, standing, record.sentence),
    path: `/agents/${reg}`,
    json: `/api/v1/agents/${reg}`,
    preview: standing,
    head: linkedData(profile, baseUrl),
    main: html`${isWithheld && withheldNote(profile.operator_status === 'suspended')}
${heading(profile, isWithheld, now)}
<div class="agent">
<div>
${record.answer('#incidents')}
${whySection(judged, { reg, baseUrl, standing, open, isIdentified })}
<section aria-labelledby="history">
<div class="split"><h2 id="history">History</h2>${periods(reg, days)}</div>
${record.plots}
</section>
${incidentSection(found.incidents ?? [], profile, now)}
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

function periods(reg: string, days: number): Html {
  const addressOf = (each: number) => `/agents/${reg}${each === DEFAULT_DAYS ? '' : `?days=${each}`}#history`
  const links = HISTORY_DAYS.map((each) => [addressOf(each), `${each} days`] as const)
  return navigation('Length of the history', links, addressOf(days))
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
