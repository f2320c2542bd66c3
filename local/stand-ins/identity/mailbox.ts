import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { z } from 'zod'
import { PAGE_HEADERS, page } from './page.ts'

const SHOWN_MESSAGES = 100

const messageShape = z.object({
  to: z.string(),
  subject: z.string(),
  /** The sign-in link; null for other mails, which have `text` and `html`. */
  link: z.string().nullable(),
  at: z.string(),
  text: z.string().optional(),
  html: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
})

/** One "sent" email; `at` is ISO 8601. */
export type Message = z.infer<typeof messageShape>

export interface Mailbox {
  send(message: Message): void
  /** The messages, newest first; to one address when `to` is given. */
  list(to?: string): Message[]
}

function readMessages(file: string): Message[] {
  let text = ''
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return []
  }
  return text.split('\n').flatMap((line) => {
    try {
      return [messageShape.parse(JSON.parse(line))]
    } catch {
      return []
    }
  })
}

/**
 * The mailbox of a data folder: one JSON line per message.
 *
 * @param file path of the file; created with mode 0600 if missing. A line that a crash cut off is skipped.
 */
export function openMailbox(file: string): Mailbox {
  const messages = readMessages(file)
  writeFileSync(file, messages.map((message) => `${JSON.stringify(message)}\n`).join(''), { mode: 0o600 })
  return {
    send(message) {
      messages.push(message)
      appendFileSync(file, `${JSON.stringify(message)}\n`)
    },
    list(to) {
      const newest = messages.toReversed()
      return to === undefined ? newest : newest.filter((message) => message.to === to.trim().toLowerCase())
    },
  }
}

const LINK = /(https?:\/\/[^\s<>"]*[^\s<>".,;:)])/

function heading({ subject, link }: Message) {
  return link === null ? html`<bdi>${subject}</bdi>` : html`<a href="${link}">${subject}</a>`
}

/** The text of a mail with clickable links, and its headers. */
function bodyOf({ text, headers = {} }: Message) {
  if (text === undefined) return ''
  const parts = text
    .split(LINK)
    .map((part, n) => (n % 2 === 1 ? html`<a href="${part}" rel="noreferrer">${part}</a>` : part))
  const lines = Object.entries(headers).map(([name, value]) => html`${name}: ${value}\n`)
  return html`<pre>${parts}</pre><details><summary>Headers</summary><pre>${lines}</pre></details>`
}

/** `GET /mailbox` shows the messages to a person, `GET /mailbox/messages.json` to a script; both take `?to=`. */
export function mailboxPages(mailbox: Mailbox): Hono {
  const app = new Hono()
  app.get('/mailbox', (c) => {
    const to = c.req.query('to')
    const messages = mailbox.list(to)
    const shown = messages.slice(0, SHOWN_MESSAGES)
    const who = to === undefined ? 'every address' : html`<b>${to}</b> · <a href="/mailbox">show all</a>`
    const body = html`<p class="soft">Mail of the local stack to ${who}. Nothing leaves this machine.</p>
${messages.length === 0 ? html`<p>No messages yet.</p>` : ''}
<ul>${shown.map(
      (message) => html`<li><span>${heading(message)}<br>
<small>to ${message.to}</small></span><small><time datetime="${message.at}">${message.at.slice(0, 19).replace('T', ' ')} UTC</time></small>${bodyOf(message)}</li>`,
    )}</ul>
${messages.length > shown.length ? html`<p class="soft">${messages.length - shown.length} older ones are in <a href="/mailbox/messages.json">messages.json</a>.</p>` : ''}`
    return c.body(String(page('Mailbox', body, 'wide')), 200, PAGE_HEADERS)
  })
  app.get('/mailbox/messages.json', (c) =>
    c.json(mailbox.list(c.req.query('to')), 200, { 'cache-control': 'no-store' }),
  )
  return app
}
