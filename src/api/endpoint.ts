import { createRoute, OpenAPIHono, type RouteConfig } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import * as z from 'zod'
import { type Access, authorize } from '../credentials/authorize.ts'
import { ApiError, type ErrorCode } from '../errors.ts'
import { jsonBody } from '../http/body.ts'
import { type Caching, caching } from '../http/caching.ts'
import type { App } from '../http/context.ts'
import { publicCors } from '../http/cors.ts'
import { problemsOf } from '../wire/issues.ts'
import { withoutEmpty } from '../wire/query.ts'
import { toWarnings, unknownFields, type Warning } from '../wire/warnings.ts'

const BODY_MAX_BYTES = 64 * 1024

const UNKNOWN_NAMES_MAX = 5
const UNKNOWN_NAME_LENGTH = 50

/** What a route declares in addition to its OpenAPI operation. Its middleware is derived from both. */
interface Rules {
  access: Access
  /** Error codes of this route, in addition to those of every route of its kind. */
  errors?: readonly ErrorCode[]
  maxBodyBytes?: number
  /** Finds probable mistakes in a valid body; by default, only unknown fields. */
  warnings?: (body: unknown) => Iterable<Warning>
  /** Overrides the caching that follows from `access`. */
  cache?: Caching
}

type Operation<Path extends string> = Omit<RouteConfig, 'path' | 'middleware'> & {
  path: Path
  operationId: string
}

export type Endpoint = Operation<string> & Rules

/** What the routes declare, by `operationId`: the OpenAPI document describes the rules in its own terms. */
export const declared = new Map<string, Endpoint>()

/** The routes of a feature. A request that does not match its schemas is rejected with the name of each invalid field. */
export function router() {
  return new OpenAPIHono<App>({
    defaultHook(result) {
      if (!result.success) throw new ApiError('VALIDATION_ERROR', problemsOf(result.error.issues))
    },
  })
}

/** A route with the middleware that follows from its rules. A response that does not match its schema does not compile. */
export function endpoint<Path extends string, Declared extends Operation<Path> & Rules>(
  route: Declared,
): Declared {
  declared.set(route.operationId, route)
  const { access, errors, maxBodyBytes, warnings, cache, ...operation }: Endpoint = route
  return createRoute({ ...operation, middleware: middlewareOf(route) }) as unknown as Declared // and nothing reads its rules
}

/** A JSON body that every request must have. */
export function body<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { 'application/json': { schema } } }
}

/** The schema of the body of a route. */
export function bodyOf({ request }: Endpoint): z.ZodType | undefined {
  const media = request?.body?.content['application/json']
  const schema = media && 'schema' in media && media.schema
  return schema instanceof z.ZodType ? schema : undefined
}

/** How caches may store the responses of a route. */
export function cachingOf({ access, cache }: Endpoint): Caching {
  return cache ?? (access.by === 'anyone' ? 'public' : 'private')
}

function middlewareOf(route: Endpoint): MiddlewareHandler<App>[] {
  const [kind, schema] = [cachingOf(route), bodyOf(route)]
  return [
    ...(kind === 'private' ? [] : [publicCors()]),
    caching(kind),
    authorize(route.access),
    ...(schema ? [jsonBody(route.maxBodyBytes ?? BODY_MAX_BYTES), withWarnings(route, schema)] : []),
    ...(route.request?.query ? [onlyKnown(route)] : []),
  ]
}

/**
 * Rejects unknown query parameters: a misspelled filter would return too much, a misspelled option change too much. For
 * the validator of a read, parameters without a value do not exist.
 */
function onlyKnown({ method, request }: Endpoint) {
  const known = request?.query instanceof z.ZodObject ? Object.keys(request.query.shape) : []
  const rule = known.length > 0 ? `supported: ${known.join(', ')}` : 'this endpoint has none'
  return createMiddleware<App>(async function onlyKnown(c, next) {
    const requested = new URL(c.req.url).searchParams.keys()
    const unknown = [...new Set(requested)].filter((name) => !known.includes(name))
    if (unknown.length > 0) {
      const named = unknown
        .slice(0, UNKNOWN_NAMES_MAX)
        .map((name) => name.slice(0, UNKNOWN_NAME_LENGTH).toWellFormed())
      throw new ApiError('VALIDATION_ERROR', `${named.join(', ')}: unknown query parameter; ${rule}`)
    }
    if (method === 'get') {
      const given = withoutEmpty(c.req.queries())
      c.req.queries = (() => given) as typeof c.req.queries // which the validator calls
    }
    await next()
  })
}

/** Adds to a successful response what is probably wrong with the body of its request. */
function withWarnings({ warnings }: Endpoint, schema: z.ZodType) {
  const find = warnings ?? ((body: unknown) => unknownFields(schema, body))
  return createMiddleware<App>(async function withWarnings(c, next) {
    await next()
    if (!c.res.ok) return
    const found = toWarnings(find(await c.req.json()))
    if (found.warnings) c.res = Response.json({ ...((await c.res.json()) as object), ...found }, c.res)
  })
}
