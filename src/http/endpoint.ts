import { createRoute, OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi'
import { ApiError, ERROR_STATUS, type ErrorCode } from '../errors.ts'
import { type Access, authorize } from './auth.ts'
import { jsonBody } from './body.ts'
import { type Caching, caching } from './caching.ts'
import type { App } from './context.ts'
import { publicCors } from './cors.ts'
import { describeIssues } from './issues.ts'

const BODY_MAX_BYTES = 64 * 1024

const errorBody = z
  .object({
    error: z.object({ code: z.string(), message: z.string(), status: z.number().int() }),
  })
  .openapi('Error')

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
  access: Access
  summary: string
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
  const { method, path, access, summary, request, responses, errors } = declared
  const open = access.by === 'anyone' || access.by === 'anyone-or-owner'
  const cors = open && method === 'get' ? [publicCors()] : []
  const cache = caching(declared.cache ?? (open ? 'public' : 'private'))
  const body = request.body ? [jsonBody(declared.maxBodyBytes ?? BODY_MAX_BYTES)] : []
  return createRoute({
    method,
    path,
    summary,
    request,
    security: securityOf(access),
    responses: { ...errorResponses(declared, errors), ...responses } as Responses,
    middleware: [...cors, cache, authorize(access), ...body] as const,
  })
}

/** A JSON answer or body of a schema. */
export function json<const Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { 'application/json': { schema } } } as const
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

function errorResponses(
  { access, request }: { access: Access; request: NonNullable<RouteConfig['request']> },
  own: readonly ErrorCode[],
): RouteConfig['responses'] {
  const codes = new Set<ErrorCode>(own)
  if (access.by !== 'anyone') codes.add('UNAUTHORIZED').add('FORBIDDEN')
  if (request.body) codes.add('VALIDATION_ERROR').add('PAYLOAD_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE')
  if (request.params || request.query) codes.add('VALIDATION_ERROR')
  codes.add('RATE_LIMITED').add('INTERNAL_ERROR').add('SERVICE_UNAVAILABLE')
  const responses: RouteConfig['responses'] = {}
  for (const status of new Set([...codes].map((code) => ERROR_STATUS[code]))) {
    const named = [...codes].filter((code) => ERROR_STATUS[code] === status)
    responses[status] = json(errorBody, named.join(', '))
  }
  return responses
}
