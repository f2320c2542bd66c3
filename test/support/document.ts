import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Operation, Parameter, Response } from '../../scripts/document/build.ts'
import type { Schema } from '../../scripts/document/examples.ts'
import { parseJson } from '../../src/lib/json.ts'

export const API = '/api/v1'

interface OpenApi {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> }
}

/** A route of the document. */
export interface Route {
  /** For example `GET /agents/{reg}`. */
  name: string
  method: string
  path: string
  summary: string
  security: Record<string, string[]>[]
  parameters: Parameter[]
  body: Schema | null
  responses: Record<string, Response>
}

export type { Schema }
export type ApiDocument = ReturnType<typeof readDocument>

/**
 * Fetches the service's OpenAPI document and compiles its schemas.
 *
 * @param baseUrl URL of the Worker
 */
export async function fetchDocument(baseUrl: string): Promise<ApiDocument> {
  const response = await fetch(`${baseUrl}${API}/openapi.json`, {
    headers: { 'CF-Connecting-IP': '10.0.0.1' },
  })
  if (!response.ok) throw new Error(`the OpenAPI document: ${response.status}`)
  const text = await response.text()
  const openApi = withInlineResponses(JSON.parse(text) as OpenApi)
  const anywhere = text.replaceAll(baseUrl, '') // documents differ only in the URL of the service
  const checks = compiled.get(anywhere) ?? compile(openApi)
  compiled.set(anywhere, checks)
  return readDocument(openApi, checks)
}

/** Validators of schemas, by their JSON pointers. */
type Checks = ReturnType<typeof compile>

const compiled = new Map<string, Checks>() // shared by all stacks of a process with the same document

function compile(openApi: OpenApi) {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(withClosedObjects(openApi), 'openapi')
  const known = new Map<string, ValidateFunction>()
  return {
    ajv,
    validator(pointer: string): ValidateFunction {
      const check = known.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` })
      known.set(pointer, check)
      return check
    },
  }
}

function readDocument(openApi: OpenApi, { ajv, validator }: Checks) {
  const routes = routesOf(openApi)
  /** The routes of a path. Fixed paths take precedence over parameters. */
  const routesAt = (path: string) => {
    const own = routes.find((route) => matches(route.path, path))?.path
    return routes.filter((route) => route.path === own)
  }

  return {
    openApi,
    routes,

    /** The route of a call; null if the document has none. */
    find: (method: string, path: string) => routesAt(path).find((route) => route.method === method) ?? null,

    /** The methods of a path. */
    methodsOf: (path: string) =>
      routesAt(path)
        .map((route) => route.method)
        .sort(),

    /** Follows a `$ref`. */
    resolve(schema: Schema): Schema {
      if (!schema.$ref) return schema
      const name = schema.$ref.replace('#/components/schemas/', '')
      return openApi.components.schemas[name] ?? {}
    },

    /** Whether a request body matches the schema of the route. */
    accepts(route: Route, body: unknown): boolean {
      return validator(`${pointerTo(route)}/requestBody/content/application~1json/schema`)(body) === true
    },

    /** Whether a text matches the schema of a query parameter. */
    takes(route: Route, name: string, text: string): boolean {
      const index = route.parameters.findIndex((one) => one.in === 'query' && one.name === name)
      const schema = route.parameters[index]?.schema ?? {}
      return validator(`${pointerTo(route)}/parameters/${index}/schema`)(asDeclared(schema, text)) === true
    },

    /** Whether successful responses of the route have an ETag, according to the document. */
    promisesEtag: (method: string, path: string) =>
      'ETag' in (routesAt(path).find((route) => route.method === method)?.responses[200]?.headers ?? {}),

    /** How a response violates the document; null if it does not. */
    breach(method: string, path: string, status: number, type: string, text: string): string | null {
      const isError = status >= 400
      if (isError && !type.startsWith('application/json')) return `an error of type '${type}'`
      const route = this.find(method === 'HEAD' ? 'GET' : method, path)
      if (!route)
        return isError ? errorBreach(status, text) : `status ${status} of a route that is not documented`
      const declared = route.responses[status]
      if (!declared) return `status ${status} is not documented`
      if (method === 'HEAD') return text === '' ? null : 'a body in the response to HEAD'
      if (!declared.content) return text === '' ? null : 'a body where the document has none'
      const validate = validator(`${pointerTo(route)}/responses/${status}/content/application~1json/schema`)
      if (!validate(JSON.parse(text))) return ajv.errorsText(validate.errors, { dataVar: 'body' })
      return isError ? errorBreach(status, text) : null
    },
  }
}

/** Parses a query parameter as its schema declares. */
function asDeclared({ type }: Schema, text: string): unknown {
  const isNumber = type === 'integer' || type === 'number'
  if (isNumber && /^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  return type === 'boolean' && /^(true|false)$/.test(text) ? text === 'true' : text
}

/** How the body of an error differs from the shape of all errors; null if it does not. */
export function errorBreach(status: number, text: string): string | null {
  const body = (parseJson(text) ?? {}) as { error?: Record<string, unknown> }
  const said = body.error ?? {}
  const exact =
    Object.keys(body).join() === 'error' && Object.keys(said).sort().join() === 'code,message,status'
  if (!exact) return 'an error of another shape'
  if (said.status !== status) return `error.status ${said.status} in a response of ${status}`
  if (!/^[A-Z_]+$/.test(String(said.code)) || typeof said.message !== 'string' || said.message === '') {
    return 'an error without code or message'
  }
  return null
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

function routesOf({ paths }: OpenApi): Route[] {
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method): Route[] => {
      const operation = methods[method]
      if (!operation) return []
      const upper = method.toUpperCase()
      const { summary, security = [], parameters = [], responses } = operation
      const body = operation.requestBody?.content?.['application/json']?.schema ?? null
      return [
        { name: `${upper} ${path}`, method: upper, path, summary, security, parameters, body, responses },
      ]
    }),
  )
  const fixedFirst = (route: Route) => route.path.replaceAll('{', '\uFFFF')
  return routes.sort((a, b) => (fixedFirst(a) < fixedFirst(b) ? -1 : 1))
}

function pointerTo({ method, path }: Route): string {
  const escaped = encodeURI(path.replaceAll('~', '~0').replaceAll('/', '~1'))
  return `/paths/${escaped}/${method.toLowerCase()}`
}

function matches(template: string, path: string): boolean {
  const wanted = template.split('/')
  const given = (path.split('?', 1)[0] ?? '').split('/')
  return (
    wanted.length === given.length &&
    wanted.every((part, i) => (part.startsWith('{') ? given[i] !== '' : part === given[i]))
  )
}

/** Replaces references to the shared error responses. */
function withInlineResponses(openApi: OpenApi): OpenApi {
  const { paths, components } = openApi
  for (const { responses } of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    for (const [status, { $ref }] of Object.entries(responses)) {
      const shared = components.responses[$ref?.replace('#/components/responses/', '') ?? '']
      if (shared) responses[status] = shared
    }
  }
  return openApi
}

/** The schema of an object that consists of several named parts, as one that can be closed. */
function withoutParts(schema: Schema, { components }: OpenApi): Schema {
  if (!schema.allOf) return schema
  const parts = schema.allOf.map(({ $ref = '' }) => components.schemas[$ref.split('/').at(-1) ?? ''] ?? {})
  const required = parts.flatMap((part) => part.required ?? [])
  const properties = Object.assign({}, ...parts.map((part) => part.properties))
  return { type: 'object', properties, required }
}

/** Closes every object of a schema, so that an additional field is a violation. */
export function close(schema: Schema | undefined): void {
  if (!schema || typeof schema !== 'object') return
  if (schema.properties) schema.additionalProperties ??= false
  for (const part of Object.values(schema.properties ?? {})) close(part)
  for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) close(part)
  close(schema.items)
  if (typeof schema.additionalProperties === 'object') close(schema.additionalProperties)
}

/** Closes the schemas of responses. */
function withClosedObjects(openApi: OpenApi): OpenApi {
  const copy = structuredClone(openApi)
  const requests = new Set<string>()
  for (const methods of Object.values(copy.paths)) {
    for (const { requestBody, responses } of Object.values(methods)) {
      const requested = requestBody?.content?.['application/json']?.schema.$ref
      if (requested) requests.add(requested.replace('#/components/schemas/', ''))
      for (const { content } of Object.values(responses)) {
        const media = content?.['application/json']
        if (!media) continue
        media.schema = withoutParts(media.schema, copy)
        close(media.schema)
      }
    }
  }
  for (const [name, schema] of Object.entries(copy.components.schemas)) if (!requests.has(name)) close(schema)
  return copy
}
