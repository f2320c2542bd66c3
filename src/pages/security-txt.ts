import { Hono } from 'hono'
import { ApiError } from '../errors.ts'
import type { App } from '../http/context.ts'
import { DAY_MS } from '../lib/time.ts'
import { publicPage } from './respond.ts'

const HOLDS_DAYS = 90

/**
 * Where to report a vulnerability of this registry, if SECURITY_CONTACT is set.
 *
 * Source: RFC 9116.
 */
export const securityTxt = new Hono<App>().get('/.well-known/security.txt', ...publicPage(), (c) => {
  const { SECURITY_CONTACT, BASE_URL } = c.get('env')
  if (SECURITY_CONTACT.length === 0) {
    throw new ApiError(
      'NOT_FOUND',
      'no security contact is configured (SECURITY_CONTACT); to report a vulnerability in the software, see SECURITY.md of the source code',
    )
  }
  const today = Math.floor(c.get('now')().getTime() / DAY_MS)
  return c.text(
    [
      ...SECURITY_CONTACT.map((contact) => `Contact: ${contact}`),
      `Expires: ${new Date((today + HOLDS_DAYS) * DAY_MS).toISOString()}`,
      `Canonical: ${BASE_URL}/.well-known/security.txt`,
      'Preferred-Languages: en',
      '',
    ].join('\n'),
  )
})
