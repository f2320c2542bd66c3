import { Hono } from 'hono'
import type { ListedEvent } from '../activity/responses.ts'
import type { App } from '../http/context.ts'
import type { Incident } from '../incidents/responses.ts'
import { agentNotFound } from '../wire/agent-number.ts'
import { reporter, titleOf, withheldNote } from './agent-facts.ts'
import { AGENT_PATH, inCapitals, requireAgentNumber } from './agent-number.ts'
import { findAgentLog } from './agent-store.ts'
import { count, day, type Html, html, minute, scrolling, severityTag, when } from './html.ts'
import { publicPage, respond } from './respond.ts'

const METADATA_SHOWN = 240

/** The public log of an agent: its events, incidents, and log entries. */
export const agentLogPages = new Hono<App>().get(
  `${AGENT_PATH}/log`,
  ...publicPage(),
  inCapitals('/log'),
  async (c) => {
    const reg = requireAgentNumber(c.req.param('reg') ?? '')
    const found = await findAgentLog(c.get('db'), reg)
    if (!found) throw agentNotFound(reg)
    const { name, operator_status, withheld, leaves, events, incidents } = found
    const now = c.get('now')()
    return respond(c, {
      title: `Log of ${titleOf({ name, reg })}`,
      description: `The newest events, incidents, and log entries of agent ${reg}.`,
      path: `/agents/${reg}/log`,
      json: `/api/v1/agents/${reg}/activity`,
      main: html`<p class="reg"><a class="number" href="/agents/${reg}">${reg}</a></p>
<h1>Log of <bdi>${name}</bdi></h1>
${withheld && withheldNote(operator_status === 'suspended')}
<section aria-labelledby="events">
<h2 id="events">Events</h2>
${
  events.data.length === 0
    ? html`<p class="quiet">No events yet.</p>`
    : html`<p class="hint">The newest ${count(events.data.length)}, newest first. Events are never changed or deleted; their texts can be redacted.</p>
${eventTable(events.data, leaves ?? {})}`
}
</section>
<section aria-labelledby="incidents">
<h2 id="incidents">Incidents</h2>
${incidents.data.length === 0 ? html`<p class="quiet">None reported.</p>` : incidentList(incidents.data, now)}
${incidents.total > incidents.data.length && html`<p class="hint">The newest ${incidents.data.length} of ${count(incidents.total)}; <a href="/api/v1/agents/${reg}/incidents">all of them in JSON</a>.</p>`}
</section>
<section aria-labelledby="log">
<h2 id="log">Transparency log</h2>
<p>Everything recorded about this agent is added to a public, append-only log within two minutes. ${leafLine(events.data, leaves ?? {})}</p>
<p><a class="button first" href="/transparency#${reg}">Verify</a></p>
<p class="hint">Your browser checks the leaves itself. <a href="/api/v1/agents/${reg}/log-entries">Log entries in JSON</a> · <a href="/api/v1/agents/${reg}/activity?per_page=50">Events in JSON</a></p>
</section>`,
    })
  },
)

function eventTable(events: readonly ListedEvent[], leaves: Record<string, number>): Html {
  return scrolling(
    'Events',
    html`<table><thead><tr><th scope="col">When</th><th scope="col">Event</th><th scope="col">Severity</th><th scope="col">Reported by</th><th scope="col">Metadata</th><th scope="col" class="n">Leaf</th></tr></thead>
<tbody>${events.map((event) => {
      const leaf = leaves[event.id]
      return html`<tr><td class="one">${minute(event.created_at)}</td><td><code>${event.event_type}</code></td><td>${event.severity}</td><td class="one">${reporter(event)}</td><td>${metadata(event)}</td><td class="n">${leaf === undefined ? html`<span class="quiet">soon</span>` : html`<a href="/log/proof/${leaf}">${leaf}</a>`}</td></tr>`
    })}</tbody></table>`,
  )
}

function metadata({ metadata, redacted }: ListedEvent): Html | string {
  if (redacted) return html`<span class="quiet">redacted ${day(redacted.at)} (${redacted.reason})</span>`
  const text = JSON.stringify(metadata)
  if (text === '{}') return ''
  const shown = text.length > METADATA_SHOWN ? `${text.slice(0, METADATA_SHOWN).toWellFormed()}…` : text
  return html`<code class="wrap"><bdi>${shown}</bdi></code>`
}

function incidentList(incidents: readonly Incident[], now: Date): Html {
  return html`<ul class="list">${incidents.map(
    ({ title, severity, status, description, created_at, resolution, resolved_at, redacted, ...reported }) =>
      html`<li><p>${severityTag(severity)} <b><bdi>${title}</bdi></b></p>
${description && html`<p class="text"><bdi>${description}</bdi></p>`}
${redacted && html`<p class="quiet">Redacted ${day(redacted.at)} (${redacted.reason})</p>`}
<p class="hint">${status === 'resolved' && resolved_at ? html`<span class="good">✓ resolved</span> ${when(resolved_at, now)}${resolution && html`: “<bdi>${resolution}</bdi>”`}` : html`<b>open</b>`} · reported ${when(created_at, now)} by ${reporter(reported)}</p></li>`,
  )}</ul>`
}

function leafLine(events: readonly ListedEvent[], leaves: Record<string, number>): string {
  const logged = events.filter(({ id }) => leaves[id] !== undefined).length
  if (events.length === 0) return ''
  return logged === events.length
    ? 'All events above are in it.'
    : `${count(logged)} of the events above are in it so far.`
}
