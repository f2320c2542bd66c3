import { generateCookie, getCookie } from 'hono/cookie'
import type { Ctx } from './context.ts'

/** A cookie that scripts cannot read, and that forms of other sites do not send. */
export interface Cookie {
  name: string
  path: '/' | '/console'
}

/** The value of a cookie; empty without one. */
export function readCookie(c: Ctx, cookie: Cookie): string {
  return getCookie(c, nameOf(c, cookie)) ?? ''
}

/**
 * Sets a cookie on the response itself: headers set with `c.header` are lost when the route throws an error. An empty
 * value removes the cookie.
 *
 * Source: RFC 6265bis, section 5.6.
 */
export function putCookie(c: Ctx, cookie: Cookie, value: string, seconds: number): void {
  const maxAge = value ? seconds : 0
  const options = { path: cookie.path, httpOnly: true, sameSite: 'Lax', secure: isSecure(c), maxAge } as const
  c.res.headers.append('Set-Cookie', generateCookie(nameOf(c, cookie), value, options))
}

/**
 * The prefix `__Host-`, which requires https and the path `/`, prevents sibling hosts from setting the cookie, as in login
 * CSRF. Source: RFC 6265bis, section 4.1.3.2.
 */
function nameOf(c: Ctx, { name, path }: Cookie): string {
  return path === '/' && isSecure(c) ? `__Host-${name}` : name
}

function isSecure(c: Ctx): boolean {
  return c.get('env').BASE_URL.startsWith('https:') // env.ts has normalized it
}
