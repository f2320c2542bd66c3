import { csrf } from 'hono/csrf'
import { createMiddleware } from 'hono/factory'
import { HTTPException } from 'hono/http-exception'
import { authorize, type Prefetch } from '../credentials/authorize.ts'
import { consoleToken } from '../credentials/cookie.ts'
import { ApiError } from '../errors.ts'
import { formBody } from '../http/body.ts'
import { caching } from '../http/caching.ts'
import { chain } from '../http/chain.ts'
import type { App, Ctx } from '../http/context.ts'
import { part } from '../http/part.ts'
import { html } from '../pages/html.ts'
import { respond } from '../pages/respond.ts'
import { NONCE_FIELD, readFormToken, TOKEN_FIELD } from './form-token.ts'
import { consoleProblems } from './problem.ts'

/** What a form has sent: the last value of each field, and all of those that may be given several times. */
export interface Sent {
  fields: Readonly<Record<string, string>>
  all(name: string): string[]
  /** Different for each time that the form was shown. */
  nonce: string
}

type Limit = 'session' | 'strict'
type Handler = (c: Ctx) => Promise<Response>
type Action = (c: Ctx, sent: Sent) => Response | Promise<Response>

/**
 * Pages and forms of an operator who has signed in with this browser. They never run for a request that another site
 * has caused; who is not signed in is shown how.
 */
export function consolePages() {
  const own = part()
  const self = {
    part: own,
    page(path: string, handler: Handler) {
      own.get(
        path,
        chain(() => [...shown(), bySession('session'), handler]),
      )
      return self
    },
    /** What a link does that leads away from this origin, where a form may not: its address carries a form's token. */
    link(path: string, handler: Handler, limit: Limit, prefetch?: Prefetch) {
      own.get(
        path,
        chain(() => [...shown(), bySession(limit, prefetch), ownLinks(), handler]),
      )
      return self
    },
    /**
     * `strict` for what the API counts so: new credentials.
     *
     * @param prefetch what the action needs to read before its statement
     */
    action(path: string, handler: Action, limit: Limit = 'session', prefetch?: Prefetch) {
      const act: Handler = async (c) => handler(c, await readForm(c))
      own.post(
        path,
        chain(() => [...shown(), ownForms(), bySession(limit, prefetch), formBody(), act]),
      )
      return self
    },
  }
  return self
}

/** What stands before everything below /console. */
function shown() {
  return [signInFirst(), caching('private'), consoleProblems()]
}

/** Rejects a link that this session was not shown: another site may lead here, too; and what nobody has followed yet. */
function ownLinks() {
  return createMiddleware<App>(async function ownLinks(c, next) {
    const isLook = c.req.method !== 'GET' || /prefetch/i.test(c.req.header('sec-purpose') ?? '')
    if (isLook)
      throw new ApiError(
        'FORBIDDEN',
        'this link performs an action and must not be prefetched; open it yourself',
      )
    const nonce = await readFormToken(c, c.req.query(TOKEN_FIELD) ?? '', c.req.query(NONCE_FIELD) ?? '')
    if (!nonce) throw foreignForm()
    await next()
  })
}

const foreignForm = () =>
  new ApiError('FORBIDDEN', 'this form is from another session or too old: open its page again')

function bySession(limit: Limit, prefetch?: Prefetch) {
  return authorize({ by: 'console', limit, ...(prefetch && { prefetch }) }, consoleToken)
}

/** Rejects a form that another site has sent: what the browser says of that must be right in each header that it sends. */
function ownForms() {
  return createMiddleware<App>(async function ownForms(c, next) {
    const rejected = new ApiError('FORBIDDEN', 'this form was sent from another site')
    if ((c.req.header('sec-fetch-site') ?? 'same-origin') !== 'same-origin') throw rejected
    await csrf({ origin: c.get('env').BASE_URL })(c, next).catch((error: unknown) => {
      throw error instanceof HTTPException ? rejected : error
    })
  })
}

/** Shows who is not signed in, or no longer, how to go on. */
function signInFirst() {
  return createMiddleware<App>(async function signInFirst(c, next) {
    await next()
    c.res.headers.set('Referrer-Policy', 'same-origin') // with none at all browsers send forms without their origin
    if (c.res.status !== 401) return
    const { path, method } = c.req
    const { search } = new URL(c.req.url)
    const kept = search.startsWith('?token_name=') ? search : '' // what a command line has opened the page with
    const to = method === 'GET' ? path + kept : '/console'
    const page = await respond(
      c,
      {
        title: 'Sign in',
        path,
        main: html`<h1>Sign in</h1>
<p>${consoleToken(c) ? 'Your session has ended.' : 'The console is for operators of agents and platforms.'} You get a link by email; there is no password. The first sign-in creates your account.</p>
<p><a class="button first" href="/console/sign-in?to=${encodeURIComponent(to)}">Sign in by email</a></p>`,
      },
      { status: 401 },
    )
    c.res = new Response(page.body, page) // Hono carries the other headers over
  })
}

async function readForm(c: Ctx): Promise<Sent> {
  const data = await c.req.formData().catch(() => null)
  if (!data) throw new ApiError('VALIDATION_ERROR', 'body: must be a form')
  const texts = [...data].flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  )
  const fields = Object.fromEntries(texts)
  const nonce = await readFormToken(c, fields[TOKEN_FIELD] ?? '', fields[NONCE_FIELD] ?? '')
  if (!nonce) throw foreignForm()
  const all = (name: string) => texts.flatMap(([given, value]) => (given === name ? [value] : []))
  return { fields, all, nonce }
}
