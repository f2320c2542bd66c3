import type { Tag } from '../../src/api/responses.ts'
import { type Html, html, raw } from '../../src/pages/html.ts'
import { table } from '../../src/pages/table.ts'
import type { ApiDocument, Content, Parameter, Response } from '../document/build.ts'
import type { Schema } from '../document/examples.ts'
import { type Field, fieldsOf, rulesOf, typeOf } from './fields.ts'
import { EVENTS_PATH, REFERENCE } from './guides.ts'
import { anchorOf, renderInline, renderText } from './markdown.ts'
import { accessOf, credentialOf, curlOf, type Listed, limitOf, operationsOf } from './operations.ts'
import { contentsOf, type Page, relatedOf } from './page.ts'
import { code, fieldTable, rowOf } from './tables.ts'

const HERE = { path: REFERENCE, name: 'API reference' }
const JSON_TYPE = 'application/json'
const EVENTS_TAG: Tag = 'Webhooks'

/** The reference: a page that lists all operations, and one page per operation. */
export function referencePages(document: ApiDocument): Page[] {
  const groups = operationsOf(document)
  const pages = [...groups].flatMap(([tag, operations]) =>
    operations.map((operation) => operationPage(operation, tag, operations, document)),
  )
  return [indexPage(document, groups), ...pages]
}

function indexPage(document: ApiDocument, groups: Map<string, Listed[]>): Page {
  const { info, tags, components } = document
  const headings = tags.map(({ name }) => ({ depth: 2, text: name, id: anchorOf(name) }))
  const body = html`<p>Every operation of the API, version ${info.version}. It is generated from the <a href="/api/v1/openapi.json">OpenAPI 3.1
document</a>, which programs can read, too. Open it in the API client of your choice to send
requests; the page of each operation has a command for <code>curl</code>. All paths are below <code>/api/v1</code>.</p>
${tags.map(({ name, description }) => tagSection(name, description, groups.get(name) ?? []))}
<h2 id="conventions"><a href="#conventions">Conventions</a></h2>
${raw(renderText(info.description))}
<h2 id="headers"><a href="#headers">Response headers</a></h2>
${table(
  'Response headers',
  'Header | Meaning',
  Object.entries(components.headers).map(([name, { description, example }]) =>
    rowOf([html`<code>${name}</code>`, html`${description}<br>Example: <code>${example}</code>`]),
  ),
)}`
  const ends = [
    { depth: 2, text: 'Conventions', id: 'conventions' },
    { depth: 2, text: 'Response headers', id: 'headers' },
  ]
  return {
    path: REFERENCE,
    title: HERE.name,
    description: 'Every operation of the API with its parameters, fields, examples and errors.',
    contents: contentsOf([...headings, ...ends]),
    body,
  }
}

function tagSection(name: string, description: string, operations: Listed[]): Html {
  const id = anchorOf(name)
  return html`<h2 id="${id}"><a href="#${id}">${name}</a></h2>
<p>${description}</p>
<ul class="operations">${operations.map(
    ({ method, route, path, summary }) =>
      html`<li><a href="${path}"><code>${method} ${route}</code></a><br>${summary}</li>`,
  )}${name === EVENTS_TAG && html`<li><a href="${EVENTS_PATH}">Webhook events</a><br>What is posted to a platform, by type</li>`}</ul>`
}

function operationPage(operation: Listed, tag: string, siblings: Listed[], document: ApiDocument): Page {
  const { method, route, path, summary, description, operationId, parameters = [], responses } = operation
  const { schemas } = document.components as { schemas: Record<string, Schema> }
  const credential = credentialOf(operation)
  const groups: [title: string, place: string][] = [
    ['Path parameters', 'path'],
    ['Query parameters', 'query'],
    ['Request headers', 'header'],
  ]
  const body = html`<p class="signature"><code>${method} /api/v1${route}</code></p>
${description ? raw(renderText(description)) : ''}
<dl class="facts">
<dt>Access</dt><dd>${raw(renderInline(accessOf(operation).join(' ')))}</dd>
<dt>Limit</dt><dd>${limitOf(operation)}</dd>
<dt>Operation</dt><dd><code>${operationId}</code></dd>
</dl>
<h2 id="request"><a href="#request">Request</a></h2>
${code(curlOf(operation))}
${credential && html`<p class="hint"><code>${credential.variable}</code> is ${credential.name}: <a href="${credential.path}">how to get one</a>.</p>`}
${groups.map(([title, place]) =>
  parameterTable(
    title,
    parameters.filter((one) => one.in === place),
    schemas,
  ),
)}
${requestBody(operation.requestBody, schemas)}
${Object.entries(responses)
  .filter(([, { $ref }]) => !$ref)
  .map(([status, response]) => responseSection(status, response, schemas))}
<h2 id="errors"><a href="#errors">Errors</a></h2>
${errorTable(responses, document)}`
  return {
    path,
    title: summary,
    description: `${method} /api/v1${route}: ${summary}`,
    above: [HERE, { path: `${REFERENCE}#${anchorOf(tag)}`, name: tag }],
    related: relatedOf(
      tag,
      siblings.map((one) => ({ path: one.path, name: `${one.method} ${one.route}` })),
      path,
    ),
    body,
  }
}

function parameterTable(title: string, parameters: Parameter[], schemas: Record<string, Schema>): Html {
  if (parameters.length === 0) return html``
  const fields = parameters.map(({ name, required = false, description = '', schema, example }): Field => {
    const rules = rulesOf(schema)
    if (example !== undefined && example !== '') rules.push(`Example \`${example}\``)
    return { path: name, type: typeOf(schema, schemas), isRequired: required, description, rules }
  })
  return html`<h3>${title}</h3>${fieldTable(title, fields, 'required')}`
}

function requestBody(content: Content | undefined, schemas: Record<string, Schema>): Html {
  const media = content?.content?.[JSON_TYPE]
  if (!media) return html``
  return html`<h3>Body</h3>${fieldTable('Body', fieldsOf(media.schema, schemas), 'required')}`
}

function responseSection(status: string, response: Response, schemas: Record<string, Schema>): Html {
  const { description = '', headers = {}, content } = response
  const media = content?.[JSON_TYPE]
  const id = `response-${status}`
  const names = Object.keys(headers).map(
    (name, n) => html`${n > 0 ? ', ' : ''}<a href="${REFERENCE}#headers"><code>${name}</code></a>`,
  )
  return html`<h2 id="${id}"><a href="#${id}">Response ${status}</a></h2>
<p>${raw(renderInline(description))}.</p>
${media ? fieldTable(`Response ${status}`, fieldsOf(media.schema, schemas), 'optional') : ''}
${media?.example === undefined ? '' : html`<h3>Example</h3>${code(JSON.stringify(media.example, null, 2))}`}
<p class="quiet">Headers: ${names}.</p>`
}

function errorTable(responses: Record<string, Response>, { components }: ApiDocument): Html {
  const rows = Object.entries(responses).flatMap(([status, { $ref = '' }]) => {
    const response = components.responses[$ref.split('/').at(-1) ?? '']
    const lines = response?.description.split('\n\n') ?? []
    return lines.map((line): Html[] => {
      const [, code = '', when = ''] = /^`(\w+)`: (.*)$/s.exec(line) ?? []
      return [
        html`${status}`,
        html`<a href="/docs/errors#${code}"><code>${code}</code></a>`,
        html`${raw(renderInline(when))}`,
      ]
    })
  })
  return table('Errors', 'Status | Code | When', rows.map(rowOf))
}
