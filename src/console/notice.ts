import type { Ctx } from '../http/context.ts'
import { type Html, html } from '../pages/html.ts'

/** What a page says of the action that has led to it: the address names one of these and nothing else is shown. */
const NOTICES = {
  'agent-registered': 'The agent is registered. Its number is permanent.',
  'agent-changed': 'The changes are saved.',
  'agent-deactivated': 'The agent is deactivated. Its history stays public.',
  'challenge-made': 'Publish the record below, then choose Check now.',
  'challenge-ended': 'The open domain check is canceled.',
  'domain-proved': 'The domain is proved.',
  'incident-resolved': 'The incident is resolved.',
  'key-changed': 'The key is changed.',
  'key-revoked': 'The key is revoked. Requests that use it are refused from now on.',
  'account-changed': 'The changes are saved.',
  'session-ended': 'The session is ended.',
  'sessions-ended': 'All other sessions are ended.',
} as const

export type Notice = keyof typeof NOTICES

/** Leads from an action that is done to a page that says so. */
export function done(c: Ctx, path: string, notice?: Notice): Response {
  return c.redirect(notice ? `${path}?notice=${notice}` : path, 303)
}

/** The note for which the address of a page asks; nothing when it asks for none that there is. */
export function noticeNote(c: Ctx): Html | '' {
  const asked = c.req.query('notice') ?? ''
  if (!Object.hasOwn(NOTICES, asked)) return ''
  return html`<div class="note good" role="status"><p>${NOTICES[asked as Notice]}</p></div>`
}
