import { generateCookie, getCookie } from 'hono/cookie'
import type { Env } from '../env.ts'
import type { Ctx } from '../http/context.ts'

const NAME = 'reg_console'

/** The lifetime of a console session in seconds: 12 hours. */
export const CONSOLE_SECONDS = 12 * 3600

/** The session token in the console's cookie; empty without one. The API never reads it. */
export function consoleToken(c: Ctx): string {
  return getCookie(c, nameOf(c.get('env'))) ?? ''
}

/**
 * Sets the console's cookie, which scripts cannot read and which forms of other sites do not send. An empty token
 * removes it.
 *
 * Source: RFC 6265bis, sections 4.1.3.2 and 5.6.
 */
export function putConsoleToken(c: Ctx, token: string): void {
  const { env } = c.var
  const cookie = generateCookie(nameOf(env), token, {
    path: '/',
    httpOnly: true,
    sameSite: 'Lax',
    secure: isSecure(env),
    maxAge: token ? CONSOLE_SECONDS : 0,
  })
  c.res.headers.append('Set-Cookie', cookie)
}

/** The prefix `__Host-`, which requires https, prevents sibling hosts from setting the cookie. */
function nameOf(env: Env): string {
  return isSecure(env) ? `__Host-${NAME}` : NAME
}

function isSecure({ BASE_URL }: Env): boolean {
  return BASE_URL.startsWith('https:')
}
