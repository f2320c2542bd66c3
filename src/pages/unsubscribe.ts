import type { NotificationType } from '../db/enums.ts'
import type { Ctx } from '../http/context.ts'
import { part } from '../http/part.ts'
import { count, countAddress, enforce } from '../http/ratelimit.ts'
import { sha256 } from '../lib/crypto.ts'
import { KINDS } from '../mail/kinds.ts'
import { unsubscribe } from '../mail/unsubscribe-store.ts'
import { readUnsubscribeToken } from '../mail/unsubscribe-token.ts'
import { type Html, html } from './html.ts'
import { respond } from './respond.ts'

/**
 * Where the link of a mail leads: its token is all that is asked for, so that a mail program can do it by itself. GET
 * changes nothing, as programs look at each link of a mail.
 *
 * Source: RFC 8058, sections 3.1 and 3.2.
 */
export const unsubscribePages = part()
  .get('/unsubscribe/:token', async (c) => {
    const subscription = await admit(c)
    return subscription ? ask(c, subscription.type) : unknown(c)
  })
  .post('/unsubscribe/:token', async (c) => {
    const subscription = await admit(c)
    if (!subscription) return unknown(c)
    await unsubscribe(c.get('db'), subscription, c.get('now')())
    return done(c, subscription.type)
  })

/** Counts a call of a link that is ours by the link, and one of any other by its address, before anything is done. */
async function admit(c: Ctx) {
  const token = c.req.param('token') ?? ''
  const subscription = await readUnsubscribeToken(c.get('env').IDENTITY_KEY, token)
  const counted = await (subscription
    ? count(c, 'unsubscribe', await sha256(token))
    : countAddress(c, 'public'))
  c.set('rateLimit', Promise.resolve(counted))
  enforce(counted)
  return subscription
}

function ask(c: Ctx, type: NotificationType): Promise<Response> {
  return show(
    c,
    'Unsubscribe',
    html`<p>Stop email for ${KINDS[type].label}? You still find them in the console.</p>
<form method="post"><button>Unsubscribe</button></form>`,
  )
}

/** Also for who has done so before. */
function done(c: Ctx, type: NotificationType): Promise<Response> {
  return show(
    c,
    'Unsubscribed',
    html`<p role="status">You no longer receive email for ${KINDS[type].label}. You still find them in the console, and can turn it on again in <a href="/console/account">your account</a>.</p>`,
  )
}

/** For a link that is cut off, or made up. */
function unknown(c: Ctx): Promise<Response> {
  return show(
    c,
    'This link does not work',
    html`<p role="alert">Copy the whole link from the email, or turn emails off in <a href="/console/account">your account</a>.</p>`,
    404,
  )
}

/** The address acts for its operator: it is neither kept nor sent to other pages. */
async function show(c: Ctx, title: string, body: Html, status = 200): Promise<Response> {
  c.header('Cache-Control', 'no-store')
  c.header('Referrer-Policy', 'no-referrer')
  return respond(c, { title, path: '/unsubscribe', main: html`<h1>${title}</h1>\n${body}` }, { status })
}
