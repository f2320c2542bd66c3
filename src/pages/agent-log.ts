import { Hono } from 'hono'
import * as z from 'zod'
import type { ListedEvent } from '../activity/responses.ts'
import { SOURCES } from '../db/enums.ts'
import { tagged } from '../http/caching.ts'
import type { App, Ctx } from '../http/context.ts'
import type { Incident } from '../incidents/responses.ts'
import { agentNotFound } from '../wire/agent-number.ts'
import { eventList, toCsv, toNdjson } from './agent-events.ts'
import { reporter, titleOf, withheldNote } from './agent-facts.ts'
import { AGENT_PATH, inCapitals, requireAgentNumber } from './agent-number.ts'
import { findAgentLog } from './agent-store.ts'
import { asOptions, filtersOf } from './field.ts'
import { count, day, type Html, html, severityTag, when } from './html.ts'
import { parseQuery, publicPage, respond } from './respond.ts'

const TYPES = { csv: 'text/csv; charset=utf-8; header=present', ndjson: 'application/x-ndjson' } as const

const query = z.object({
  type: z.string().optional(),
  source: z.enum(SOURCES).optional(),
  format: z.enum(['csv', 'ndjson']).optional(),
})
type Asked = z.output<typeof query>

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
    const asked = parseQuery(c, query)
    const shown = events.data.filter(
      ({ event_type, source }) =>
        (asked.type ?? event_type) === event_type && (asked.source ?? source) === source,
    )
    if (asked.format)
      return download(
        c,
        `${reg}-events.${asked.format}`,
        asked.format === 'csv' ? toCsv(shown, leaves ?? {}) : toNdjson(shown),
      )
    return respond(c, {
      title: `Log of ${titleOf({ name, reg })}`,
      description: `The newest events, incidents, and log entries of agent ${reg}.`,
      path: `/agents/${reg}/log`,
      json: `/api/v1/agents/${reg}/activity`,
      main: html`<div class="head"><p><a class="number" href="/agents/${reg}">${reg}</a></p>
<h1>${name === reg ? 'Log, name withheld' : html`Log of <bdi>${name}</bdi>`}</h1></div>
${withheld && withheldNote(operator_status === 'suspended')}
<section aria-labelledby="events">
<h2 id="events">Events</h2>
${
  events.data.length === 0
    ? html`<p class="quiet">No events yet.</p>`
    : html`<p class="hint">The newest ${count(events.data.length)}, newest first. Events are never changed or deleted; their texts can be redacted.</p>
${filterForm(events.data, asked)}
${shown.length === 0 ? html`<p class="quiet">None of these events matches.</p>` : eventList(shown, leaves ?? {})}
<p class="hint">Download what is shown: <a href="${downloadOf(c, 'csv')}">CSV</a> · <a href="${downloadOf(c, 'ndjson')}">NDJSON</a></p>`
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

/** The URL of the shown events as a file. */
function downloadOf(c: Ctx, format: keyof typeof TYPES): string {
  const url = new URL(c.req.url)
  url.searchParams.set('format', format)
  return url.pathname + url.search
}

async function download(c: Ctx, name: string, text: string): Promise<Response> {
  const response = await tagged(c, text, text, TYPES[name.endsWith('csv') ? 'csv' : 'ndjson'])
  response.headers.set('Content-Disposition', `attachment; filename="${name}"`)
  return response
}

/** Choices of the types and sources that the shown events have. */
function filterForm(events: readonly ListedEvent[], given: Asked): Html {
  const { choice } = filtersOf(given)
  const found = (values: readonly string[]) => asOptions([...new Set(values)].toSorted())
  const types = found(events.map(({ event_type }) => event_type))
  const sources = found(events.map(({ source }) => source))
  return html`<form class="row" action="#events">
${choice('type', 'Event type', 'Any', types)}
${choice('source', 'Source', 'Any', sources)}
<button class="light">Filter</button></form>`
}

function incidentList(incidents: readonly Incident[], now: Date): Html {
  return html`<ul class="list">${incidents.map(
    ({ title, severity, description, created_at, resolution, resolved_at, redacted, ...reported }) =>
      html`<li><p>${severityTag(severity)} <b><bdi>${title}</bdi></b></p>
${description && html`<p class="text"><bdi>${description}</bdi></p>`}
${redacted && html`<p class="quiet">Redacted ${day(redacted.at)} (${redacted.reason})</p>`}
<p class="hint">${resolved_at ? html`<span class="good">✓ resolved</span> ${when(resolved_at, now)}${resolution && html`: “<bdi>${resolution}</bdi>”`}` : html`<b>open</b>`} · reported ${when(created_at, now)} by ${reporter(reported)}</p></li>`,
  )}</ul>`
}

function leafLine(events: readonly ListedEvent[], leaves: Record<string, number>): string {
  const logged = events.filter(({ id }) => leaves[id] !== undefined).length
  if (events.length === 0) return ''
  return logged === events.length
    ? 'All events above are in it.'
    : `${count(logged)} of the events above are in it so far.`
}
