import type { TypedResponse } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { JSONParsed } from 'hono/utils/types'
import { sha256Bytes, utf8 } from '../lib/crypto.ts'
import type { App, Ctx } from './context.ts'

const TIMES_OF_READING = /"(computed_at|checked_at)":"[^"]*",?/g // the tag is about the content, not when it was read
const ETAG_LENGTH = 32

/** How caches may store a response: `public` for ten seconds, `no-cache` only with revalidation, `private` not at all. */
export type Caching = 'public' | 'no-cache' | 'private'

/** Successful responses to requests without a credential, by how caches may store them. */
const RULES = {
  public: 'public, max-age=10',
  'no-cache': 'no-cache',
  private: 'no-store',
} as const satisfies Record<Caching, string>

/**
 * Sets the caching headers of a response. A response to a request with a credential is never stored, and its sender never
 * gets the stored response to another request, because the credential may show more, or be revoked.
 *
 * Source: RFC 9111, sections 4.1 and 5.2.
 */
export function caching(kind: Caching) {
  return createMiddleware<App>(async function caching(c, next) {
    await next()
    const isOpen = !c.get('caller') && (kind === 'private' || c.res.status < 400)
    c.res.headers.set('Cache-Control', isOpen ? RULES[kind] : 'private, no-store')
    c.res.headers.append('Vary', 'Authorization')
  })
}

/**
 * Lets all caches store a response for some time, unless it is an error.
 *
 * @param isImmutable whether it never changes, so that caches need not revalidate it before that
 *
 * Source: RFC 9111, section 5.2; RFC 8246.
 */
export function keptFor(seconds: number, isImmutable = false) {
  const rule = `public, max-age=${seconds}${isImmutable ? ', immutable' : ''}`
  return createMiddleware<App>(async function keptFor(c, next) {
    await next()
    if (c.res.status < 400) c.res.headers.set('Cache-Control', rule)
  })
}

/**
 * The response to a public read, as `c.json` makes it, with the ETag of `tagged`.
 *
 * @param state the text that the ETag is computed from, if the response also has parts that change at each request
 */
export async function publicJson<Value>(c: Ctx, value: Value, state?: string) {
  const text = JSON.stringify(value)
  const response = await tagged(c, text, (state ?? text).replace(TIMES_OF_READING, ''))
  return response as Response & TypedResponse<JSONParsed<Value>, 200, 'json'> // TypedResponse exists only as a type
}

/**
 * A response with a weak ETag, or 304 if it matches `If-None-Match`. A request with a credential gets no ETag. The tag
 * is computed here from the text, because reading the body back would take longer than making the response.
 *
 * Source: RFC 9110, sections 8.8.3 and 13.1.2.
 */
export async function tagged(
  c: Ctx,
  text: string,
  state = text,
  contentType = 'application/json',
): Promise<Response> {
  const type = { 'Content-Type': contentType }
  if (c.get('caller')) return c.body(text, 200, type)
  const bytes = utf8(text) // used for both the tag and the body
  const hash = await sha256Bytes(state === text ? bytes : utf8(state))
  const ETag = `W/"${hash.slice(0, ETAG_LENGTH)}"`
  return matches(c.req.header('if-none-match'), ETag)
    ? c.body(null, 304, { ETag })
    : c.body(bytes, 200, { ...type, ETag })
}

function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const weak = (tag: string) => tag.trim().replace(/^W\//, '')
  return header.trim() === '*' || header.split(',').some((tag) => weak(tag) === weak(etag))
}
