import type { Ctx } from '../../http/context.ts'
import { type Html, html, severityTag, when } from '../../pages/html.ts'
import { type Problems, problemNote, textField } from '../field.ts'
import { stateTag } from '../frame.ts'
import { form } from '../shell.ts'
import type { OwnAgent } from './store.ts'

/** The incidents of an agent, open ones first and with a form to resolve them; empty if there are none. */
export async function incidentSection(
  c: Ctx,
  { agent, incidents }: OwnAgent,
  rejected: { id: string; sent: string; problems: Problems } | undefined,
): Promise<Html | ''> {
  if (incidents.length === 0) return ''
  const open = incidents.filter(({ status }) => status === 'open')
  const resolved = incidents.filter(({ status }) => status !== 'open')
  const now = c.get('now')()
  const cards = await Promise.all(
    open.map(async (incident) => {
      const problems = rejected?.id === incident.id ? rejected.problems : undefined
      // A page can contain several of these forms: their element ids must differ.
      const fields = html`${problems && problemNote(problems)}${textField(
        {
          name: `resolution-${incident.id}`,
          label: 'How it was resolved',
          hint: 'Public',
          value: problems ? rejected?.sent : '',
          ...(problems && { problems: renamed(problems, incident.id) }),
        },
        { required: true, lines: 2 },
      )}<button>Resolve incident</button>`
      return html`<li class="card">${headOf(incident, now)}${incident.description && html`<p><bdi>${incident.description}</bdi></p>`}${await form(c, `/console/agents/${agent.reg}/incidents/${incident.id}`, fields)}</li>`
    }),
  )
  return html`<section aria-labelledby="incidents"><h2 id="incidents">Incidents</h2>
${open.length > 0 && html`<ul class="stack">${cards}</ul>`}
${resolved.length > 0 && html`<details><summary>${resolved.length} resolved</summary><ul class="stack">${resolved.map((incident) => html`<li class="card">${headOf(incident, now)}<p class="quiet"><bdi>${incident.resolution}</bdi></p></li>`)}</ul></details>`}</section>`
}

function headOf({ title, severity, created_at, status }: OwnAgent['incidents'][number], now: Date): Html {
  return html`<h3><bdi>${title}</bdi></h3><p>${status === 'open' ? severityTag(severity) : stateTag(status)} <span class="hint">${when(created_at, now)}</span></p>`
}

function renamed({ fields, rest }: Problems, id: string): Problems {
  return { rest, fields: fields.resolution ? { [`resolution-${id}`]: fields.resolution } : {} }
}
