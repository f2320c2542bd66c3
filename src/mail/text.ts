import { html } from 'hono/html'
import type { NotificationType, Severity, Standing } from '../db/enums.ts'
import { STANDING_WORDS } from '../trust/standing.ts'
import { KINDS } from './kinds.ts'

const SUBJECT_MAX = 78 // code points: the line length recommended by RFC 5322, section 2.1.1
const NAME_IN_SUBJECT_MAX = 30
const HELD_SHOWN = 20
const BUTTON =
  'display:inline-block;padding:10px 18px;border-radius:6px;color:#fff;background:#0a56a6;font-weight:600;text-decoration:none'
// Characters that end a line, are invisible, or change the text direction.
const LINE_ENDS = /[\r\n\u0085\u2028\u2029]+/g
const UNSEEN = /(?!\n)[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu

/** The number of notifications of a week that were not mailed, by type and agent. */
export interface Held {
  type: NotificationType
  reg: string | null
  agent_name: string | null
  count: number
}

/** A notification, with the data that its mail needs. */
export interface Notification {
  type: NotificationType
  title: string
  body: string
  reg: string | null
  agent_name: string | null
  held: Held[] | null
  /** Of an incident alert; null for others, and for an alert of which the incident is unknown. */
  incident: { id: string; severity: Severity; standing: Standing } | null
}

/** Subject and bodies of a mail. */
export interface MailText {
  subject: string
  text: string
  html: string
}

/**
 * Writes the mail of a notification: what happened, to which agent, what to do, and where.
 *
 * @param links BASE_URL, and the URL that unsubscribes from mails of this type; null if they cannot be turned off
 */
export function composeMail(
  notification: Notification,
  links: { base: string; unsubscribe: string | null },
): MailText {
  const { advice, action, path, label } = KINDS[notification.type]
  const title = oneLine(notification.title)
  const agent = agentOf(notification)
  const held = heldLines(notification.held)
  const link = links.base + filled(path, notification)
  const home = `${links.base}/console`
  const reason = links.unsubscribe ? `because emails for ${label} are on` : `because ${label} are always sent`
  const why = `You receive this email ${reason}. All notifications are in the console.`
  const unsubscribe = links.unsubscribe && { url: links.unsubscribe, text: `Unsubscribe from ${label}` }
  const parts = [
    manyLines(notification.body),
    agent && `Agent: ${agent}`,
    held.length > 0 ? ['Notifications of that week that were not emailed:', ...held].join('\n- ') : '',
    advice,
  ].filter((part) => part !== '')
  return {
    subject: subjectOf(notification, title),
    text: `${[title, ...parts].join('\n\n')}

${action}: ${link}

-- 
${why}
Console: ${home}
${unsubscribe ? `${unsubscribe.text}: ${unsubscribe.url}\n` : ''}`,
    html: String(html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>
<body style="max-width:560px;margin:auto;padding:24px;font:16px/1.5 system-ui,sans-serif">
<h1 dir="auto" style="font-size:20px">${title}</h1>
${parts.map((part) => html`<p dir="auto" style="white-space:pre-line">${part}</p>\n`)}<p><a href="${link}" style="${BUTTON}">${action}</a></p>
<p><small>${why} <a href="${home}">Open the console</a>${unsubscribe && html` · <a href="${unsubscribe.url}">${unsubscribe.text}</a>`}</small></p>
</body></html>`),
  }
}

/** The path of a notification's link; without an agent that of the list, and without an incident that of all of them. */
function filled(path: string, { reg, incident }: Notification): string {
  if (reg === null) return path.replace(/\/\{reg\}.*/, '')
  const ofIncident = incident ? path.replace('{incident}', incident.id) : path.replace(/#.*/, '')
  return ofIncident.replace('{reg}', reg)
}

/** The lines of a digest about notifications that were not mailed: their numbers by type and agent. */
function heldLines(held: readonly Held[] | null): string[] {
  const lines = (held ?? []).map((one) => {
    const agent = agentOf(one)
    return `${KINDS[one.type].label}${agent && `, ${agent}`}: ${one.count}`
  })
  return lines.length > HELD_SHOWN ? [...lines.slice(0, HELD_SHOWN), 'and more; see the console'] : lines
}

function agentOf({ reg, agent_name }: Pick<Notification, 'reg' | 'agent_name'>): string {
  return reg === null ? '' : `${oneLine(agent_name ?? '')} (${reg})`.trim()
}

/**
 * The subject: the title, after the agent's name for types whose title does not contain it; for an incident with the
 * standing of the agent and the severity: "Scout, self-reported: warning: Slow responses".
 */
function subjectOf({ type, agent_name, incident }: Notification, title: string): string {
  const isNamed = type === 'trust_alert' || type === 'incident_alert'
  const standing = incident ? `, ${STANDING_WORDS[incident.standing]}` : ''
  const name = isNamed && agent_name ? `${cut(oneLine(agent_name), NAME_IN_SUBJECT_MAX)}${standing}: ` : ''
  const what = incident ? title.replace(/^Incident: /, `${incident.severity}: `) : title
  return cut(name + what, SUBJECT_MAX)
}

/** Makes foreign text a single line, which cannot inject a header or change the direction of the text around it. */
function oneLine(text: string): string {
  return manyLines(text).replaceAll(/\s+/gu, ' ').trim()
}

function manyLines(text: string): string {
  return text.replaceAll(LINE_ENDS, '\n').replaceAll(UNSEEN, '').trim()
}

function cut(text: string, max: number): string {
  const characters = [...text]
  return characters.length > max
    ? `${characters
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`
    : text
}
