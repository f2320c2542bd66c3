import { generateCookie, getCookie } from 'hono/cookie'
import type { Env } from '../env.ts'
import type { Ctx } from '../http/context.ts'

const NAME = 'reg_console'

/** How long a session of the console lives, in seconds: 12 hours. */
export const CONSOLE_SECONDS = 12 * 3600

/** The session token that the console has left in this browser; empty without one. The API never reads it. */
export function consoleToken(c: Ctx): string {
  return getCookie(c, nameOf(c.get('env'))) ?? ''
}

/**
 * Leaves a session token in the browser, out of reach of scripts and of other sites' forms; an empty one removes it.
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

/** The prefix, which only https allows, keeps hosts next to this one from setting it. */
function nameOf(env: Env): string {
  return isSecure(env) ? `__Host-${NAME}` : NAME
}

function isSecure({ BASE_URL }: Env): boolean {
  return BASE_URL.startsWith('https:') // it is in its normal form
}
