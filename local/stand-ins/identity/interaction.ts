import { randomBytes } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { errors, type Provider } from 'oidc-provider'
import { z } from 'zod'
import type { Mailbox } from './mailbox.ts'
import { PAGE_HEADERS, page } from './page.ts'

const LINK_MINUTES = 15
const LINK_MS = LINK_MINUTES * 60_000
const SUBJECT = 'Your sign-in link'

const addressShape = z.string().trim().toLowerCase().pipe(z.email().max(254))

interface Link {
  uid: string
  email: string
  sent_at: number
  used: boolean
}

interface Options {
  provider: Provider
  mailbox: Mailbox
  /** Registers the account of an address with the provider and returns its subject. */
  admit(email: string): string
  /** Where a person starts again whose sign-in is over, or was begun in another browser. */
  clientUrl: string
}

type PageContext = Context<{ Bindings: HttpBindings }>

const show = (c: PageContext, status: ContentfulStatusCode, title: string, body: ReturnType<typeof html>) =>
  c.body(String(page(title, body)), status, PAGE_HEADERS)

function askPage(c: PageContext, uid: string, email: string, problem?: string) {
  return show(
    c,
    problem ? 422 : 200,
    'Sign in',
    html`<p>We email you a link. No password is needed.</p>
<form method="post" action="/interaction/${uid}" novalidate>
<label for="email">Email address</label>
<input id="email" name="email" type="email" autocomplete="email" required autofocus value="${email}" placeholder="you@example.com" ${problem ? html`aria-invalid="true" aria-describedby="problem"` : ''}>
${problem ? html`<p class="bad" id="problem" role="alert">${problem}</p>` : ''}
<button>Send me a link</button>
</form>`,
  )
}

/** The sign-in of this page; null if this browser has none in progress, or a different one. */
async function findInteraction(provider: Provider, c: PageContext) {
  try {
    const details = await provider.interactionDetails(c.env.incoming, c.env.outgoing)
    return details.uid === c.req.param('uid') ? details : null
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return null
    throw error
  }
}

/**
 * The only interaction of the provider: ask for the email address, send a link, sign in when it is opened.
 *
 * The link works once, for 15 minutes, and only in the browser that requested it: the provider binds a sign-in to a
 * cookie, so a forwarded or stolen link does not work.
 */
export function interactionPages({ provider, mailbox, admit, clientUrl }: Options) {
  const startAgain = html`<p><a href="${clientUrl}">Sign in in this browser instead</a></p>`
  const links = new Map<string, Link>()

  function sendLink(uid: string, email: string): void {
    const token = randomBytes(32).toString('base64url')
    links.set(token, { uid, email, sent_at: Date.now(), used: false })
    const link = `${provider.issuer}/interaction/${uid}/link?token=${token}`
    mailbox.send({ to: email, subject: SUBJECT, link, at: new Date().toISOString() })
  }

  const app = new Hono<{ Bindings: HttpBindings }>()
  const over = (c: PageContext) =>
    show(
      c,
      400,
      'This sign-in is over',
      html`<p>It was finished, has expired, or was begun in another browser.</p>${startAgain}`,
    )

  app.get('/interaction/:uid', async (c) => {
    const details = await findInteraction(provider, c)
    if (!details) return over(c)
    const hint = details.params.login_hint
    return askPage(c, details.uid, typeof hint === 'string' ? hint : '')
  })

  app.post('/interaction/:uid', async (c) => {
    const details = await findInteraction(provider, c)
    if (!details) return over(c)
    const { email } = await c.req.parseBody()
    const typed = typeof email === 'string' ? email : ''
    const address = addressShape.safeParse(typed)
    if (!address.success) return askPage(c, details.uid, typed, 'Enter an address such as you@example.com.')
    sendLink(details.uid, address.data)
    const inbox = `/mailbox?to=${encodeURIComponent(address.data)}`
    return show(
      c,
      200,
      'Check your inbox',
      html`<p>We sent a link to <b>${address.data}</b>. It works once, for ${LINK_MINUTES} minutes, in this browser.</p>
<p>This is a local stack, so the message is in <a href="${inbox}">the local mailbox</a>.</p>
<p><small><a href="/interaction/${details.uid}">Use another address</a></small></p>`,
    )
  })

  app.get('/interaction/:uid/link', async (c) => {
    const link = links.get(c.req.query('token') ?? '')
    if (link?.uid !== c.req.param('uid')) return show(c, 404, 'This link is not valid', startAgain)
    if (link.used) return show(c, 410, 'This link was already used', startAgain)
    if (Date.now() - link.sent_at >= LINK_MS) return show(c, 410, 'This link has expired', startAgain)
    if (!(await findInteraction(provider, c))) {
      return show(
        c,
        400,
        'Open the link in the same browser',
        html`<p>It only works in the browser in which you asked for it. A private window counts as another browser, and a sign-in that was finished by a newer link is over.</p>${startAgain}`,
      )
    }
    if (link.used) return show(c, 410, 'This link was already used', startAgain)
    link.used = true
    const login = { accountId: admit(link.email), amr: ['email'] }
    return c.redirect(await provider.interactionResult(c.env.incoming, c.env.outgoing, { login }), 303)
  })

  return app
}
