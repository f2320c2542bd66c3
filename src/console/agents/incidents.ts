import { requireCaller } from '../../credentials/authorize.ts'
import type { Ctx } from '../../http/context.ts'
import { incidentNotFound, resolve } from '../../incidents/resolve.ts'
import { resolutionInput } from '../../incidents/schema.ts'
import { fieldsOf, type Problems } from '../../pages/field.ts'
import { type Html, html, severityTag, when } from '../../pages/html.ts'
import { parse } from '../../pages/respond.ts'
import { idParam } from '../../wire/fields.ts'
import { attempt } from '../attempt.ts'
import { empty } from '../frame.ts'
import { done } from '../notice.ts'
import { consolePages } from '../router.ts'
import { form } from '../shell.ts'
import { AGENT, agentPath, hideForeign, regOf, requireOwnAnd, showTab } from './frame.ts'
import { listOwnIncidents } from './store.ts'

const TAB = '/incidents'
const incidentParam = idParam('id', 'the incident')

type Listed = Awaited<ReturnType<typeof listOwnIncidents>>[number]
type Rejected = { id: string; sent: string | undefined; problems: Problems }

/** The incidents of an agent, open ones first and with a form to resolve them. */
export const agentIncidentPages = consolePages()
  .page(`${AGENT}${TAB}`, (c) => incidentsPage(c))
  .action(`${AGENT}${TAB}/:id`, async (c, { fields }) => {
    const reg = regOf(c)
    const { id } = parse(incidentParam, c.req.param())
    const sent = fields[`resolution-${id}`]
    const resolved = await attempt(
      ['resolution'],
      hideForeign(
        reg,
        () => resolve(c, id, parse(resolutionInput, { resolution: sent }).resolution),
        incidentNotFound(id),
      ),
    )
    if (resolved.ok) return done(c, agentPath(reg, TAB), 'incident-resolved')
    return incidentsPage(c, { id, sent, problems: resolved.problems }, resolved.status)
  })

async function incidentsPage(c: Ctx, rejected?: Rejected, status = 200): Promise<Response> {
  const { operator_id } = requireCaller(c)
  const [own, listed] = await requireOwnAnd(c, listOwnIncidents(c.get('db'), operator_id, regOf(c)))
  const now = c.get('now')()
  const open = listed.filter((incident) => incident.status === 'open')
  const resolved = listed.filter((incident) => incident.status !== 'open')
  const cards = open.map((incident) => openCard(c, own.agent.reg, incident, rejected))
  return showTab(
    c,
    own,
    TAB,
    html`${open.length > 0 ? html`<ul class="stack">${cards}</ul>` : empty('No open incidents', html`Incidents that you or a platform report appear here, with a form to resolve them.`)}
${resolved.length > 0 && html`<h2>Resolved</h2><ul class="stack">${resolved.map((incident) => html`<li class="card" id="incident-${incident.id}">${headOf(incident, now)}<p class="quiet"><bdi>${incident.resolution}</bdi></p></li>`)}</ul>`}`,
    status,
  )
}

function openCard(c: Ctx, reg: string, incident: Listed, rejected?: Rejected): Html {
  const { id, description } = incident
  const problems = rejected?.id === id ? rejected.problems : undefined
  // A page can contain several of these forms: their element ids must differ.
  const name = `resolution-${id}`
  const { note, text } = fieldsOf({ [name]: problems && rejected?.sent }, problems && renamed(problems, name))
  const fields = html`${note}${text(name, 'How it was resolved', 'Public', { required: true, lines: 2 })}<button>Resolve incident</button>`
  return html`<li class="card" id="incident-${id}">${headOf(incident, c.get('now')())}${description && html`<p><bdi>${description}</bdi></p>`}${form(c, agentPath(reg, `${TAB}/${id}`), fields)}</li>`
}

function headOf({ title, severity, created_at, resolved_at }: Listed, now: Date): Html {
  return html`<h3><bdi>${title}</bdi></h3><p>${severityTag(severity)} <span class="hint">${resolved_at && html`resolved ${when(resolved_at, now)} · `}reported ${when(created_at, now)}</span></p>`
}

function renamed({ fields, rest }: Problems, name: string): Problems {
  return { rest, fields: fields.resolution ? { [name]: fields.resolution } : {} }
}
