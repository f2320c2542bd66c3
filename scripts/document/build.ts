import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi'
import type { Endpoint } from '../../src/api/endpoint.ts'
import { TAGS } from '../../src/api/responses.ts'
import { API, endpoints } from '../../src/app.ts'
import type { Access } from '../../src/credentials/authorize.ts'
import { CONTACT, INFO, LICENSE, SECURITY_SCHEMES } from './about.ts'
import { errorResponses } from './errors.ts'
import { exampleOf, type Schema } from './examples.ts'
import { HEADERS } from './headers.ts'
import { responsesOf } from './responses.ts'
import { TAG_DESCRIPTIONS } from './tags.ts'
import { DELIVERY_HEADERS, webhooksOf } from './webhooks.ts'

const METHODS = ['get', 'post', 'patch', 'delete'] as const

export interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string | undefined
  example?: unknown
  schema: Schema
}

export interface Content {
  content?: Record<string, { schema: Schema; example?: unknown }>
}

export interface Response extends Content {
  $ref?: string
  description?: string
  headers?: Record<string, { $ref: string }>
}

export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  security: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: Content & { required?: boolean }
  responses: Record<string, Response>
}

export type ApiDocument = ReturnType<typeof buildDocument>

interface Generated {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** The credentials of a route in the document; an empty object means that none is needed. */
const SECURITY: Record<Access['by'], Record<string, string[]>[]> = {
  anyone: [{}, { session: [] }, { key: [] }],
  address: [],
  session: [{ session: [] }],
  key: [{ key: [] }],
  'session-or-key': [{ session: [] }, { key: [] }],
}

/**
 * Builds the OpenAPI 3.1 document from the declared routes and the responses in each `responses.ts`.
 *
 * @param baseUrl URL of the service; every route is below `/api/v1`
 * @throws Error when a route has no response, or a response has no route
 */
export function buildDocument(baseUrl: string) {
  const head = {
    openapi: '3.1.0',
    info: { ...INFO, contact: { name: CONTACT, url: `${baseUrl}/docs` }, license: LICENSE },
    servers: [{ url: baseUrl + API }],
    externalDocs: { description: 'Guides and reference', url: `${baseUrl}/docs` },
  }
  const { components, paths } = generate(head)
  const { schemas } = components
  for (const { properties = {} } of Object.values(schemas)) dropListDefaults(Object.values(properties))
  const operations = Object.values(paths).flatMap((item) => METHODS.flatMap((method) => item[method] ?? []))
  for (const operation of operations) {
    operation.parameters?.forEach(finishParameter)
    for (const { content } of [operation.requestBody ?? {}, ...Object.values(operation.responses)]) {
      for (const media of Object.values(content ?? {})) media.example ??= exampleOf(media.schema, schemas)
    }
  }
  const refs = operations.flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ $ref }) => $ref ?? []),
  )
  return {
    ...head,
    tags: TAGS.map((name) => ({ name, description: TAG_DESCRIPTIONS[name] })),
    paths,
    webhooks: webhooksOf(),
    components: {
      schemas,
      responses: errorResponses(refs),
      headers: HEADERS,
      parameters: DELIVERY_HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

function generate(head: { openapi: string; info: typeof INFO }): Generated {
  const { openAPIRegistry, getOpenAPI31Document } = new OpenAPIHono()
  for (const declared of endpoints) openAPIRegistry.registerPath(toRoute(declared))
  return getOpenAPI31Document(head) as unknown as Generated
}

/** A route with what follows from its rules: credentials, headers, and errors. */
function toRoute(declared: Endpoint): RouteConfig {
  const { access, errors, maxBodyBytes, warnings, cache, ...operation } = declared
  return { ...operation, security: securityOf(access), responses: responsesOf(declared) }
}

/** Alternatives are separate entries, so any one of the permissions is enough (OpenAPI 3.1, section 4.8.30). */
function securityOf(access: Access): Record<string, string[]>[] {
  if (!('permissions' in access)) return SECURITY[access.by]
  return SECURITY[access.by].flatMap((scheme) =>
    'key' in scheme ? access.permissions.map((permission) => ({ key: [permission] })) : [scheme],
  )
}

/** Code generators write the default of a list as strings, not enum values; the description states the default. */
function dropListDefaults(fields: Schema[]): void {
  for (const field of fields) if (Array.isArray(field.default)) delete field.default
}

/** Moves description and example from the schema of a parameter to the parameter; capitalizes header names. */
function finishParameter(parameter: Parameter): void {
  const { description, example, ...schema } = parameter.schema
  parameter.schema = schema
  parameter.description ??= description
  parameter.example ??= example ?? exampleOf(schema, {})
  if (parameter.in === 'header')
    parameter.name = parameter.name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
}
