import { createRoute, OpenAPIHono, type RouteConfig, type z } from '@hono/zod-openapi'
import { type Access, authorize } from '../credentials/authorize.ts'
import { documentAnswers } from '../document/answers.ts'
import type { Tag } from '../document/tags.ts'
import { ApiError, type ErrorCode } from '../errors.ts'
import { jsonBody } from '../http/body.ts'
import { type Caching, caching } from '../http/caching.ts'
import type { App } from '../http/context.ts'
import { publicCors } from '../http/cors.ts'
import { describeIssues } from '../wire/issues.ts'

const BODY_MAX_BYTES = 64 * 1024

/** The credentials of a route as the document names them; an empty object means that none is needed. */
const SECURITY: Record<Access['by'], Record<string, string[]>[]> = {
  anyone: [],
  session: [{ session: [] }],
  key: [{ key: [] }],
  'session-or-key': [{ session: [] }, { key: [] }],
  'anyone-or-owner': [{}, { session: [] }, { key: [] }],
}

/** Alternatives are separate entries, so any one of the permissions is enough (OpenAPI 3.1, section 4.8.30). */
function securityOf(access: Access): Record<string, string[]>[] {
  if (!('permissions' in access)) return SECURITY[access.by]
  return SECURITY[access.by].flatMap((scheme) =>
    'key' in scheme ? access.permissions.map((permission) => ({ key: [permission] })) : [scheme],
  )
}

type Method = 'get' | 'post' | 'patch' | 'delete'

interface Endpoint<Path extends string, Request extends NonNullable<RouteConfig['request']>, Responses> {
  method: Method
  path: Path
  /** Names the route in the document, and its method in generated clients: verb and noun, never changed. */
  operationId: string
  tag: Tag
  access: Access
  summary: string
  description?: string
  request: Request
  /** The successful answers; the errors are declared by `errors`. */
  responses: Responses
  /** Error codes of this route beyond those that every route of its kind can answer. */
  errors: readonly ErrorCode[]
  maxBodyBytes?: number
  /** How its answers may be kept, when not as its access says. */
  cache?: Caching
}

/** Declares a route: path, who may call, limit class, schemas. Its middleware and its document follow from these. */
export function endpoint<
  const Path extends string,
  const Request extends NonNullable<RouteConfig['request']>,
  const Responses extends RouteConfig['responses'],
>(declared: Endpoint<Path, Request, Responses>) {
  const { method, path, operationId, tag, access, summary, description, request } = declared
  const open = access.by === 'anyone' || access.by === 'anyone-or-owner'
  const kind = declared.cache ?? (open ? 'public' : 'private')
  const cors = open && method === 'get' && kind !== 'private' ? [publicCors()] : []
  const body = request.body ? [jsonBody(declared.maxBodyBytes ?? BODY_MAX_BYTES)] : []
  return createRoute({
    method,
    path,
    operationId,
    tags: [tag],
    summary,
    ...(description && { description }),
    request,
    security: securityOf(access),
    responses: documentAnswers({ ...declared, caching: kind }) as Responses,
    middleware: [
      ...cors,
      caching(kind, access.by === 'anyone-or-owner'),
      authorize(access),
      ...body,
    ] as const,
  })
}

/** A JSON answer of a schema; without an example the document puts one together from the schema. */
export function json<const Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  example?: z.output<Schema>,
) {
  const media = { schema, ...(example !== undefined && { example }) }
  return { description, content: { 'application/json': media } } as const
}

/** A required JSON request body. */
export function jsonRequest<const Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { 'application/json': { schema } } } as const
}

/** A router whose validation errors name the field and take the one error shape. */
export function router(): OpenAPIHono<App> {
  return new OpenAPIHono<App>({
    defaultHook: (result) => {
      if (!result.success) throw new ApiError('VALIDATION_ERROR', describeIssues(result.error.issues))
    },
  })
}
