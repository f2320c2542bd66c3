import { Hono } from 'hono'
import type { App, Ctx } from '../http/context.ts'
import { countAddress, countRequest, enforce } from '../http/ratelimit.ts'
import { sha256 } from '../lib/crypto.ts'
import { KINDS } from '../mail/kinds.ts'
import { unsubscribe } from '../mail/unsubscribe-store.ts'
import { readUnsubscribeToken } from '../mail/unsubscribe-token.ts'
import { type Html, html } from './html.ts'
import { respond } from './respond.ts'

/**
 * The target of the unsubscribe link in mails. The token suffices, so that mail clients can unsubscribe with one click. GET
 * changes nothing, because mail scanners open every link.
 *
 * Source: RFC 8058, sections 3.1 and 3.2.
 */
export const unsubscribePages = new Hono<App>()
  .get('/unsubscribe/:token', async (c) => {
    const subscription = await admit(c)
    if (!subscription) return invalidLinkPage(c)
    return show(
      c,
      'Unsubscribe',
      html`<p>Stop emails for ${KINDS[subscription.type].label}? The notifications remain in the console.</p>
<form method="post"><button>Unsubscribe</button></form>`,
    )
  })
  .post('/unsubscribe/:token', async (c) => {
    const subscription = await admit(c)
    if (!subscription) return invalidLinkPage(c)
    await unsubscribe(c.get('db'), subscription, c.get('now')())
    return show(
      c,
      'Unsubscribed',
      html`<p role="status">You no longer receive emails for ${KINDS[subscription.type].label}. The notifications remain in the console, and you can turn the emails on again in <a href="/console/account">your account</a>.</p>`,
    )
  })

/** Counts the request before anything else: by token if it is valid, else by IP address. */
async function admit(c: Ctx) {
  const token = c.req.param('token') ?? ''
  const subscription = await readUnsubscribeToken(c.get('env').IDENTITY_KEY, token)
  const counted = await (subscription
    ? countRequest(c, 'unsubscribe', await sha256(token))
    : countAddress(c, 'public'))
  c.set('rateLimit', Promise.resolve(counted))
  enforce(counted)
  return subscription
}

/** Shown for an incomplete or forged link. */
function invalidLinkPage(c: Ctx): Promise<Response> {
  return show(
    c,
    'This link does not work',
    html`<p role="alert">Copy the whole link from the email, or turn emails off in <a href="/console/account">your account</a>.</p>`,
    404,
  )
}

/** The URL is a credential: it must not be cached, and not be sent as referrer. */
async function show(c: Ctx, title: string, body: Html, status = 200): Promise<Response> {
  c.header('Cache-Control', 'no-store')
  c.header('Referrer-Policy', 'no-referrer')
  return respond(c, { title, path: '/unsubscribe', main: html`<h1>${title}</h1>\n${body}` }, { status })
}
