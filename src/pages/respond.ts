import type * as z from 'zod'
import { authorize } from '../credentials/authorize.ts'
import { ApiError } from '../errors.ts'
import { keptFor, tagged } from '../http/caching.ts'
import type { Ctx } from '../http/context.ts'
import { problemsOf } from '../wire/issues.ts'
import { withoutEmpty } from '../wire/query.ts'
import { type Area, layout, type Page, type ShownAccount } from './layout.ts'

export const HTML = 'text/html; charset=utf-8'
const KEPT_SECONDS = 60

/** Content security policy: pages load styles, scripts, and images only from this origin, and submit forms only to it. */
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

/** The middleware of a public page: it is cached for a minute, and counts as a public read. */
export function publicPage() {
  return [keptFor(KEPT_SECONDS), authorize({ by: 'address', limit: 'public' })] as const
}

/** Renders a page as a response; successful ones carry an ETag unless the request has a credential. */
export async function respond(
  c: Ctx,
  page: Page,
  { status = 200, area = 'public', account }: { status?: number; area?: Area; account?: ShownAccount } = {},
): Promise<Response> {
  const text = String(await layout(c.get('env').BASE_URL, page, area, account))
  const response =
    status === 200
      ? await tagged(c, text, text, HTML)
      : new Response(text, { status, headers: { 'Content-Type': HTML, 'Cache-Control': 'no-store' } })
  // The console fetches parts of its pages again.
  return withPolicy(response, { fetches: area === 'console' })
}

/** @param options `fetches`: whether the script of the page may send requests to this origin */
export function withPolicy(response: Response, { fetches }: { fetches: boolean }): Response {
  response.headers.set('Content-Security-Policy', fetches ? `${POLICY}; connect-src 'self'` : POLICY)
  return response
}

/**
 * Validates part of a request with a schema.
 *
 * @throws ApiError VALIDATION_ERROR that names each invalid field
 */
export function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new ApiError('VALIDATION_ERROR', problemsOf(result.error.issues))
}

/** Validates the query of a page, as `parse` does. */
export function parseQuery<S extends z.ZodType>(c: Ctx, schema: S): z.output<S> {
  return parse(schema, withoutEmpty(c.req.query()))
}
