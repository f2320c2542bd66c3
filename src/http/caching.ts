import { createMiddleware } from 'hono/factory'
import { sha256 } from '../lib/crypto.ts'
import type { App } from './context.ts'

const PUBLIC_MAX_AGE_SECONDS = 10
const LEFT_OUT = /"(computed_at|checked_at)":"[^"]*",?/g // when we looked is not what we saw
const ETAG_LENGTH = 32

/** How an answer may be kept: `public` for ten seconds, `no-cache` only after asking again, `private` not at all. */
export type Caching = 'public' | 'no-cache' | 'private'

/**
 * Says how an answer may be kept, gives successful public reads a weak ETag, and answers 304 when the caller has
 * just this. What a credential has shown is never kept.
 *
 * @param varies whether a credential would have shown more: then a cache must not answer its holder with this
 *
 * Source: RFC 9110, sections 8.8.3 and 13.1.2; RFC 9111, sections 4.1 and 5.2.
 */
export function caching(kind: Caching, varies = false) {
  return createMiddleware<App>(async function caching(c, next) {
    await next()
    const shared = kind !== 'private' && c.get('caller') === undefined && c.res.status < 400
    if (!shared) {
      c.res.headers.set(
        'Cache-Control',
        kind === 'private' && !c.get('caller') ? 'no-store' : 'private, no-store',
      )
      c.res.headers.append('Vary', 'Authorization')
      return
    }
    const rule = kind === 'public' ? `public, max-age=${PUBLIC_MAX_AGE_SECONDS}` : 'no-cache'
    c.res.headers.set('Cache-Control', rule)
    if (varies) c.res.headers.append('Vary', 'Authorization')
    if (c.res.status !== 200) return
    const text = await c.res.text()
    const etag = `W/"${(await sha256(text.replace(LEFT_OUT, ''))).slice(0, ETAG_LENGTH)}"`
    const { headers } = c.res
    headers.set('ETag', etag)
    const known = matches(c.req.header('if-none-match'), etag)
    c.res = undefined // else Hono would copy the headers a second time
    c.res = known ? new Response(null, { status: 304, headers }) : new Response(text, { headers })
  })
}

function matches(asked: string | undefined, etag: string): boolean {
  if (asked === undefined) return false
  const weak = (tag: string) => tag.trim().replace(/^W\//, '')
  return asked.trim() === '*' || asked.split(',').some((tag) => weak(tag) === weak(etag))
}
