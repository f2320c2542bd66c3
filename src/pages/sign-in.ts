import { createMiddleware } from 'hono/factory'
import type { ErrorBody } from '../errors.ts'
import type { App, Ctx } from '../http/context.ts'
import { FETCH_MODE, isNavigation } from '../http/navigation.ts'
import { type Html, html, sentence } from './html.ts'
import { respond } from './respond.ts'

const JSON_TYPE = 'application/json'

const HEADING: Record<number, string> = {
  400: 'This sign-in did not work',
  403: 'This sign-in was rejected',
  429: 'Too many attempts',
  503: 'Signing in is not possible at the moment',
}

interface SignedIn {
  operator: { email: string }
}

/**
 * Renders the JSON responses of a sign-in as pages with the same status and headers, if a browser navigates to them. The
 * pages do not contain the token: the browser has it in a cookie.
 */
export function browserSignIn() {
  return createMiddleware<App>(async function browserSignIn(c, next) {
    await next()
    c.res.headers.append('Vary', FETCH_MODE)
    if (!c.res.headers.get('content-type')?.startsWith(JSON_TYPE) || !isNavigation(c)) return
    const body: unknown = await c.res.json() // SignedIn or ErrorBody
    const page = c.res.ok ? signedIn(body as SignedIn) : rejected((body as ErrorBody).error)
    c.res = await respondUncached(c, page, c.res.status)
  })
}

/** Responds without an ETag: sign-in pages are never cached. */
async function respondUncached(c: Ctx, shown: { title: string; main: Html }, status: number) {
  const page = await respond(c, { ...shown, path: c.req.path }, { status })
  page.headers.delete('ETag')
  return page
}

function signedIn({ operator: { email } }: SignedIn) {
  const title = 'You are signed in'
  return {
    title,
    main: html`<h1>${title}</h1>
<p>As <strong>${email}</strong>, in this browser, for 12 hours.</p>
<p><a class="button first" href="/console">Open the console</a></p>
<p class="hint">Programs use an API key, or a session token that you create under <a href="/console/account">Account</a>.</p>`,
  }
}

function rejected({ code, message, status }: ErrorBody['error']) {
  const title = HEADING[status] ?? 'This sign-in did not work'
  return {
    title,
    main: html`<h1>${title}</h1>
<p role="alert">${sentence(message.replace(/^sign-in: /, ''))}</p>
<p><a class="button first" href="/console/sign-in">Sign in again</a></p>
<p><a href="/">Start page</a> · <a href="/status">Status of the registry</a></p>
<p class="hint">${status} ${code}</p>`,
  }
}
