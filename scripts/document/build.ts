import type { OpenAPIHono } from '@hono/zod-openapi'
import { errorAnswers } from '../../src/document/errors.ts'
import { HEADERS } from '../../src/document/headers.ts'
import { TAGS } from '../../src/document/tags.ts'
import type { App } from '../../src/http/context.ts'
import { INFO, SECURITY_SCHEMES } from './about.ts'
import { exampleOf, type Schema } from './examples.ts'

const METHODS = ['get', 'post', 'patch', 'delete'] as const

interface Parameter {
  name: string
  in: string
  description?: string
  example?: unknown
  schema: Schema & { description?: string }
}

interface Content {
  content?: Record<string, { schema: Schema; example?: unknown }>
}

interface Operation {
  operationId: string
  tags: string[]
  summary: string
  security: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: Content
  responses: Record<string, Content & { $ref?: string }>
}

interface Generated {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/**
 * The OpenAPI 3.1 document of an app's routes.
 *
 * @param prefix the path under which all of them stand; it goes into the server's URL
 */
export function buildDocument(app: OpenAPIHono<App>, baseUrl: string, prefix: string) {
  const head = { openapi: '3.1.0', info: INFO, servers: [{ url: baseUrl + prefix }] }
  const generated = app.getOpenAPI31Document(head) as unknown as Generated
  const { schemas } = generated.components
  const paths = Object.fromEntries(
    Object.entries(generated.paths).map(([path, item]) => [path.slice(prefix.length), item]),
  )
  const operations = Object.values(paths).flatMap((item) => METHODS.flatMap((method) => item[method] ?? []))
  for (const operation of operations) {
    operation.parameters?.forEach(finishParameter)
    for (const { content } of [operation.requestBody ?? {}, ...Object.values(operation.responses)]) {
      for (const media of Object.values(content ?? {})) media.example ??= exampleOf(media.schema, schemas)
    }
  }
  const used = new Set(operations.flatMap(({ tags }) => tags))
  const tags = Object.entries(TAGS).map(([name, description]) => ({ name, description }))
  const refs = operations.flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ $ref }) => $ref ?? []),
  )
  return {
    ...head,
    tags: tags.filter(({ name }) => used.has(name)),
    paths,
    components: {
      schemas,
      responses: errorAnswers(refs),
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

/** What the generator leaves in the schema of a parameter belongs to the parameter; headers get their usual spelling. */
function finishParameter(parameter: Parameter): void {
  const { description, example, ...schema } = parameter.schema
  parameter.schema = schema
  parameter.description ??= description
  parameter.example ??= example ?? exampleOf(schema, {})
  if (parameter.in === 'header')
    parameter.name = parameter.name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
}
