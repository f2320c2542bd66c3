import { Hono } from 'hono'
import { csrf } from 'hono/csrf'
import { createMiddleware } from 'hono/factory'
import { HTTPException } from 'hono/http-exception'
import { authorize, type Prefetch } from '../credentials/authorize.ts'
import { consoleToken } from '../credentials/cookie.ts'
import { ApiError } from '../errors.ts'
import { formBody } from '../http/body.ts'
import { caching } from '../http/caching.ts'
import type { App, Ctx } from '../http/context.ts'
import { html } from '../pages/html.ts'
import { respond } from '../pages/respond.ts'
import { NONCE_FIELD, readFormToken, TOKEN_FIELD } from './form-token.ts'
import { consoleProblems } from './problem.ts'

export interface Sent {
  /** The last value of each field. */
  fields: Readonly<Record<string, string>>
  /** All values of a field. */
  all(name: string): string[]
  /** New each time the form is shown. */
  nonce: string
}

type Limit = 'session' | 'strict'
type Handler = (c: Ctx) => Promise<Response>
type Action = (c: Ctx, sent: Sent) => Response | Promise<Response>

/**
 * Routes for pages and forms that require a console session; without one, the response is a sign-in page. Requests that
 * another site caused never run an action.
 */
export function consolePages() {
  const routes = new Hono<App>()
  const self = {
    routes,
    page(path: string, handler: Handler) {
      routes.get(path, signInFirst(), ...common(), bySession('session'), handler)
      return self
    },
    /** An action behind a link, whose URL carries a form token: the CSP does not let forms redirect to another origin. */
    link(path: string, handler: Handler, prefetch: Prefetch) {
      routes.get(path, signInFirst(), ...common(), bySession('strict', prefetch), ownLinks(), handler)
      return self
    },
    /**
     * An action behind a form.
     *
     * @param limit `strict` for new credentials, as in the API
     * @param prefetch data that the action needs before its statement
     */
    action(path: string, handler: Action, limit: Limit = 'session', prefetch?: Prefetch) {
      const act: Handler = async (c) => handler(c, await readForm(c))
      routes.post(path, signInFirst(), ...common(), ownForms(), bySession(limit, prefetch), formBody(), act)
      return self
    },
  }
  return self
}

/** The middleware of everything below /console, after `signInFirst`. */
function common() {
  return [caching('private'), consoleProblems()]
}

/** Rejects links that were not shown to this session, which another site could contain, and browsers' prefetches. */
function ownLinks() {
  return createMiddleware<App>(async function ownLinks(c, next) {
    const isPrefetch = c.req.method !== 'GET' || /prefetch/i.test(c.req.header('sec-purpose') ?? '')
    if (isPrefetch)
      throw new ApiError(
        'FORBIDDEN',
        'this link performs an action and cannot be prefetched; open it yourself',
      )
    const nonce = await readFormToken(c, c.req.query(TOKEN_FIELD) ?? '', c.req.query(NONCE_FIELD) ?? '')
    if (!nonce) throw foreignForm()
    await next()
  })
}

const foreignForm = () =>
  new ApiError('FORBIDDEN', 'this form has expired or belongs to another session; open its page again')

function bySession(limit: Limit, prefetch?: Prefetch) {
  return authorize({ by: 'console', limit, ...(prefetch && { prefetch }) }, consoleToken)
}

/** Rejects forms sent from another site, by `Sec-Fetch-Site` and `Origin`, as far as the browser sends them. */
function ownForms() {
  return createMiddleware<App>(async function ownForms(c, next) {
    const rejected = new ApiError(
      'FORBIDDEN',
      'this form was sent from another site; open its page in the console',
    )
    if ((c.req.header('sec-fetch-site') ?? 'same-origin') !== 'same-origin') throw rejected
    await csrf({ origin: c.get('env').BASE_URL })(c, next).catch((error: unknown) => {
      throw error instanceof HTTPException ? rejected : error
    })
  })
}

/** Replaces a 401 with a page that links to the sign-in. */
function signInFirst() {
  return createMiddleware<App>(async function signInFirst(c, next) {
    await next()
    c.res.headers.set('Referrer-Policy', 'same-origin') // with `no-referrer`, browsers send forms with `Origin: null`
    if (c.res.status !== 401) return
    const { path, method } = c.req
    const { search } = new URL(c.req.url)
    const kept = search.startsWith('?token_name=') ? search : '' // set by the command line when it opens the page
    const to = method === 'GET' ? path + kept : '/console'
    const page = {
      title: 'Sign in',
      path,
      main: html`<h1>Sign in</h1>
<p>${consoleToken(c) ? 'Your session has ended.' : 'The console is for operators of agents and platforms.'} You get a link by email; there is no password. The first sign-in creates your account.</p>
<p><a class="button first" href="/console/sign-in?to=${encodeURIComponent(to)}">Sign in by email</a></p>`,
    }
    c.res = await respond(c, page, { status: 401 })
  })
}

async function readForm(c: Ctx): Promise<Sent> {
  const data = new URLSearchParams(await c.req.text())
  const fields = Object.fromEntries(data)
  const nonce = await readFormToken(c, fields[TOKEN_FIELD] ?? '', fields[NONCE_FIELD] ?? '')
  if (!nonce) throw foreignForm()
  return { fields, all: (name) => data.getAll(name), nonce }
}
