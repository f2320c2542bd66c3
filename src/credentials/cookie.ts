import type { Ctx } from '../http/context.ts'
import { putCookie, readCookie } from '../http/cookie.ts'

const COOKIE = { name: 'reg_console', path: '/' } as const

/** The lifetime of a console session in seconds: 12 hours. */
export const CONSOLE_SECONDS = 12 * 3600

/** The session token in the console's cookie; empty without one. The API never reads it. */
export function consoleToken(c: Ctx): string {
  return readCookie(c, COOKIE)
}

/** Sets the console's cookie; an empty token removes it. */
export function putConsoleToken(c: Ctx, token: string): void {
  putCookie(c, COOKIE, token, CONSOLE_SECONDS)
}
