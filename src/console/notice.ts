import type { Ctx } from '../http/context.ts'
import { putCookie, readCookie } from '../http/cookie.ts'
import { count, type Html, html } from '../pages/html.ts'

/** Messages about a completed action. A number replaces `#`. */
const NOTICES = {
  'agent-registered': 'The agent is registered. Its number is permanent.',
  'agent-changed': 'The changes are saved.',
  'agent-deactivated': 'The agent is deactivated. Its history remains public.',
  'agent-key-added': 'The key is registered. The agent can sign its requests with it now.',
  'agent-key-revoked': 'The key is revoked permanently.',
  'challenge-made': 'Publish the proof shown below, then choose Check now.',
  'challenge-ended': 'The challenge is canceled.',
  'domain-proved': 'The domain is verified.',
  'domain-missed': 'The domain is not verified yet. See below what the check found.',
  'incident-resolved': 'The incident is resolved.',
  'key-changed': 'The changes are saved.',
  'key-revoked': 'The key is revoked. Requests that use it are rejected from now on.',
  'check-under-way': 'Your documents are being checked. This can take a few minutes.',
  'account-changed': 'The changes are saved.',
  'name-set': 'Your name is saved.',
  'platform-changed': 'The settings are saved.',
  'platform-retired': 'The platform is retired.',
  'webhook-enabled': 'The webhook is enabled. You can now recover the skipped events.',
  'test-sent': 'The test event is being sent. What your endpoint responds appears below.',
  'event-redelivered': 'The event is being redelivered, as this new delivery. The response appears below.',
  'delivery-retried': 'The delivery is being retried now. The response appears below.',
  recovered: 'Events redelivered: #.',
  'recovered-more': 'Events redelivered: #. There are more; recover again when these are delivered.',
  'member-confirmed': 'The agent is confirmed.',
  'member-removed': 'The agent is removed. It cannot join this platform again for 30 days.',
  'notifications-read': 'Notifications marked as read: #.',
  'mail-resumed': 'Email is sent to your address again.',
  'session-ended': 'The session is revoked.',
  'sessions-ended': 'All other sessions are revoked.',
} as const

export type Notice = keyof typeof NOTICES

/** The step that follows an action: its path, given that of the page, and a label. */
const NEXT: Partial<Record<Notice, readonly [path: (page: string) => string, label: string]>> = {
  'name-set': [() => '/console/agents/new', 'Register an agent'],
  'agent-registered': [(page) => `${page}/domain`, 'Verify its domain'],
  'domain-proved': [(page) => `/console/keys/new?reg=${page.split('/')[3]}`, 'Create an API key'],
}

const COOKIE = { name: 'reg_notice', path: '/console' } as const
const NOTICE_SECONDS = 60

/** Redirects to a page that shows a notice about the completed action, once: a reload does not show it again. */
export function done(c: Ctx, path: string, notice?: Notice, n = 0): Response {
  if (notice) putCookie(c, COOKIE, [notice, n, path].join('.'), NOTICE_SECONDS)
  return c.redirect(path, 303)
}

/** The notice about the action that led to this page, which is not shown again; empty without one. */
export function noticeNote(c: Ctx): Html | '' {
  const [name = '', n = '', path] = readCookie(c, COOKIE).split('.')
  if (path !== c.req.path || !Object.hasOwn(NOTICES, name)) return ''
  putCookie(c, COOKIE, '', 0)
  const text = NOTICES[name as Notice].replace('#', count(Number(n)))
  const tone = name.endsWith('-missed') ? 'warn' : 'good'
  const [pathOf, label] = NEXT[name as Notice] ?? []
  return html`<div class="note ${tone}" role="status"><p>${text}</p>${pathOf && html`<p><a class="button" href="${pathOf(c.req.path)}">${label}</a></p>`}</div>`
}
