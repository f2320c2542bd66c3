import { zValidator } from '@hono/zod-validator'
import type { Context, MiddlewareHandler, TypedResponse } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { StatusCode } from 'hono/utils/http-status'
import type { JSONParsed } from 'hono/utils/types'
import * as z from 'zod'
import { type Access, authorize } from '../credentials/authorize.ts'
import { ApiError } from '../errors.ts'
import { jsonBody } from '../http/body.ts'
import { type Caching, caching } from '../http/caching.ts'
import { chain } from '../http/chain.ts'
import type { App } from '../http/context.ts'
import { publicCors } from '../http/cors.ts'
import { type AppPart, part } from '../http/part.ts'
import { describeIssues } from '../wire/issues.ts'
import { withoutEmpty } from '../wire/query.ts'
import { toWarnings, unknownFields, type Warning } from '../wire/warnings.ts'
import type { FeatureResponses } from './responses.ts'

const BODY_MAX_BYTES = 64 * 1024

/** Where the validator finds each part of a request. */
const TARGETS = { query: 'query', params: 'param', headers: 'header', body: 'json' } as const

const UNKNOWN_NAMES_MAX = 5
const UNKNOWN_NAME_LENGTH = 50

type Part = keyof typeof TARGETS
type Request = { readonly [P in Part]?: z.ZodType }

/** The declaration of a route: path, access, limit class, and request schemas. Its middleware is derived from these. */
export interface Endpoint {
  /** Names the route in the OpenAPI document and in generated clients: verb and noun, never changed. */
  operationId: string
  method: 'get' | 'post' | 'patch' | 'delete'
  /** With parameters in braces. */
  path: string
  access: Access
  request?: Request
  maxBodyBytes?: number
  /** Finds probable mistakes in a valid body; by default, only unknown fields. */
  warnings?: (body: unknown) => Iterable<Warning>
  /** Overrides the caching that follows from `access`. */
  cache?: Caching
}

/** What `c.req.valid` returns: the outputs of the request's schemas. */
type Valid<R extends Request> = {
  in: { [P in keyof R & Part as (typeof TARGETS)[P]]: z.input<NonNullable<R[P]>> }
  out: { [P in keyof R & Part as (typeof TARGETS)[P]]: z.output<NonNullable<R[P]>> }
}

type Responses = FeatureResponses[string]['responses']

/** What a handler returns: one of the declared statuses, with JSON of its schema if it has one. */
type Reply<Declared extends Responses> = {
  [Status in keyof Declared & StatusCode]: TypedResponse<Data<Declared[Status]>, Status, string>
}[keyof Declared & StatusCode]

type Data<Declared> = Declared extends { content: { 'application/json': { schema: infer Schema } } }
  ? Schema extends z.ZodType
    ? JSONParsed<z.output<Schema>>
    : never
  : unknown

type Handler<R extends Request, Declared extends Responses> = (
  c: Context<App, string, Valid<R>>,
) => Reply<Declared> | Promise<Reply<Declared>>

interface Router<A extends FeatureResponses> {
  /** The routes, to be mounted. */
  part: AppPart
  /** Their declarations, for the OpenAPI document. */
  endpoints: readonly Endpoint[]
  /** Adds a route. A handler whose response does not match its schema does not compile. */
  endpoint<const Id extends keyof A & string, const R extends Request = Record<never, never>>(
    declared: Endpoint & { operationId: Id; request?: R },
    handler: Handler<R, A[Id]['responses']>,
  ): Router<A>
}

/**
 * The routes of a feature. Response schemas are used only as types, so that they stay out of the Worker's bundle.
 *
 * A request that does not match its schemas is rejected with the name of each invalid field.
 */
export function router<A extends FeatureResponses>(): Router<A> {
  const own = part()
  const endpoints: Endpoint[] = []
  const self: Router<A> = {
    part: own,
    endpoints,
    endpoint(declared, handler) {
      const path = declared.path.replaceAll(/\{(\w+)\}/g, ':$1')
      own.on(
        declared.method.toUpperCase(),
        path,
        chain(() => [...middlewareOf(declared), asHandler(handler)]),
      )
      endpoints.push(declared)
      return self
    },
  }
  return self
}

/** Safe, because the validators before the handler check the types that it expects, and every reply is a Response. */
function asHandler<R extends Request, Declared extends Responses>(handler: Handler<R, Declared>) {
  return handler as unknown as MiddlewareHandler<App>
}

/** How caches may store the responses of a route. */
export function cachingOf({ access, cache }: Endpoint): Caching {
  return cache ?? (access.by === 'anyone' ? 'public' : 'private')
}

function parametersOf(query: Request['query']): string[] {
  return query instanceof z.ZodObject ? Object.keys(query.shape) : []
}

/** Rejects unknown query parameters: a misspelled filter would return too much, a misspelled option change too much. */
function onlyKnown(query: Request['query']) {
  const known = parametersOf(query)
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

function middlewareOf(declared: Endpoint): MiddlewareHandler<App>[] {
  const { method, access, request, maxBodyBytes = BODY_MAX_BYTES } = declared
  return [
    ...(cachingOf(declared) === 'private' ? [] : [publicCors()]),
    caching(cachingOf(declared)),
    authorize(access),
    ...(request?.body ? [jsonBody(maxBodyBytes), withWarnings(declared, request.body)] : []),
    ...(request?.query ? [onlyKnown(request.query)] : []),
    ...(Object.keys(TARGETS) as Part[]).flatMap((part) => validator(part, method, request?.[part])),
  ]
}

const givenQuery = (query: unknown) => withoutEmpty(query as Record<string, unknown>)

function validator(part: Part, method: Endpoint['method'], schema: Request[Part]): MiddlewareHandler[] {
  if (!schema) return []
  const given = part === 'query' && method === 'get' ? z.preprocess(givenQuery, schema) : schema
  return [
    zValidator(TARGETS[part], given, (result) => {
      if (!result.success) throw new ApiError('VALIDATION_ERROR', describeIssues(result.error.issues))
    }),
  ]
}
