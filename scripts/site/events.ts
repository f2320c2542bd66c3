import { html } from '../../src/pages/html.ts'
import type { Schema } from '../document/examples.ts'
import { fieldsOf } from './fields.ts'
import { EVENTS_PATH, REFERENCE } from './guides.ts'
import { contentsOf, type Page } from './page.ts'
import { code, fieldTable } from './tables.ts'

/** A type of webhook event in `GET /event-types`. */
export interface EventType {
  type: string
  description: string
  schema: unknown
  example: unknown
}

/** The page of webhook events: the data and an example of each type. */
export function eventsPage(types: readonly EventType[]): Page {
  const sections = types.map(({ type, description, schema, example }) => {
    const { properties } = schema as Schema // of the envelope; the types differ only in `data`
    const id = anchorOf(type)
    return html`<h2 id="${id}"><a href="#${id}">${type}</a></h2>
<p>${description}.</p>
${fieldTable(`Data of ${type}`, fieldsOf(properties?.data ?? {}, {}), 'optional')}
<h3>Example</h3>
${code(JSON.stringify(example, null, 2))}`
  })
  return {
    path: EVENTS_PATH,
    title: 'Webhook events',
    description: 'The types of events that platforms receive, each with its fields and an example.',
    above: [
      { path: REFERENCE, name: 'API reference' },
      { path: `${REFERENCE}#webhooks`, name: 'Webhooks' },
    ],
    contents: contentsOf(types.map(({ type }) => ({ depth: 2, text: type, id: anchorOf(type) }))),
    body: html`<p>Each event is posted as JSON in an envelope: <code>id</code>, the same each time the event is sent,
<code>type</code>, <code>created_at</code>, and <code>data</code>, whose fields are below. How events are signed and retried
is described in <a href="/docs/webhooks">Webhooks</a>; <a href="/api/v1/event-types">GET /event-types</a> has this page as JSON
Schema.</p>
${sections}`,
  }
}

function anchorOf(type: string): string {
  return type.replaceAll('.', '-')
}
