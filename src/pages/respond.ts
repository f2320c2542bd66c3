import type * as z from 'zod'
import { authorize } from '../credentials/authorize.ts'
import { ApiError } from '../errors.ts'
import { keptFor, tagged } from '../http/caching.ts'
import type { Ctx } from '../http/context.ts'
import type { AddressPolicy } from '../http/limits.ts'
import { describeIssues } from '../wire/issues.ts'
import type { Html } from './html.ts'
import { type Area, layout, type Page } from './layout.ts'

export const HTML = 'text/html; charset=utf-8'
const KEPT_SECONDS = 60

/** A page loads its own sheet, script and pictures, and sends its forms home. */
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

/** What stands before each public page: it counts as a public read, and may be kept for a minute. */
export function publicPage(limit: AddressPolicy = 'public') {
  return [keptFor(KEPT_SECONDS), authorize({ by: 'anyone', limit })] as const
}

/** A page as a response: what nobody's credential has shown carries an ETag. */
export async function respond(
  c: Ctx,
  page: Page,
  { status = 200, area = 'public', signOut }: { status?: number; area?: Area; signOut?: Html } = {},
): Promise<Response> {
  const text = String(await layout(c.get('env').BASE_URL, page, area, signOut))
  const response =
    status === 200
      ? await tagged(c, text, text, HTML)
      : new Response(text, { status, headers: { 'Content-Type': HTML, 'Cache-Control': 'no-store' } })
  response.headers.set('Content-Security-Policy', POLICY)
  return response
}

/**
 * Reads part of a request by its schema.
 *
 * @throws ApiError VALIDATION_ERROR that names each field
 */
export function parse<S extends z.ZodType>(schema: S, value: unknown, whole = 'body'): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new ApiError('VALIDATION_ERROR', describeIssues(result.error.issues, whole))
}
