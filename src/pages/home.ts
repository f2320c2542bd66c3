import { Hono } from 'hono'
import { type AgentCard, bestCards } from '../agents/search-store.ts'
import type { Standing } from '../db/enums.ts'
import type { App } from '../http/context.ts'
import { utcDay } from '../lib/time.ts'
import { agentTable } from './agent-table.ts'
import { type Html, html } from './html.ts'
import { publicPage, respond } from './respond.ts'
import { searchBox } from './search-form.ts'
import { foundCount } from './search-query.ts'
import { shownOf } from './standing.ts'

const SHOWN = 6
const READ = 30
/** Others are not recommended to somebody who has not asked for them. */
const GOOD = new Set<Standing>(['established', 'attested'])

export const homePages = new Hono<App>().get('/', ...publicPage(), async (c) => {
  const { total, data } = await bestCards(c.get('db'), READ, utcDay(c.get('now')()))
  return respond(c, {
    title: 'Agent Registry',
    description: 'Look up a software agent: who operates it, what is verified, and what it has done.',
    path: '/',
    json: '/api/v1/agents/search',
    main: html`<div class="hero"><h1>Is this agent what it says it is?</h1>
<p>Look up a software agent: who operates it, what is verified about it, and what it has done.</p>
${searchBox()}</div>
<ul class="cards points">
<li><h2>A permanent number</h2><p>Each agent has a permanent number. It never changes, it is never reused, and its last character detects typing errors. <a href="/docs/verification">What is checked</a></p></li>
<li><h2>A log that cannot be changed</h2><p>What an agent does is recorded in a signed, append-only log. Anyone can verify that no entry was altered or removed. <a href="/docs/transparency">How to verify it</a></p></li>
<li><h2>A score you can recompute</h2><p>The trust score follows from that log by a published formula. Compute it yourself, to the last digit. <a href="/docs/trust-score">How it is computed</a></p></li>
</ul>
${agents(data.filter((agent) => GOOD.has(shownOf(agent).standing)).slice(0, SHOWN), total, c.get('now')())}
<section class="note"><h2>Do you operate an agent?</h2>
<p>Register it, verify your domain, and report what it does. You only need an email address.</p>
<p class="row"><a class="button first" href="/console">Register an agent</a> <a class="button" href="/docs">Read the docs</a></p></section>`,
  })
})

function agents(shown: readonly AgentCard[], total: number, now: Date): Html {
  if (total === 0) return html`<h2>Agents</h2><p>No agent is registered yet. Yours can be the first.</p>`
  return html`${
    shown.length > 0 &&
    html`<h2>Agents with a good record</h2>
${agentTable(shown, { now })}`
  }
<p><a href="/agents?status=all">All ${foundCount(total)}</a></p>`
}
