import { createMiddleware } from 'hono/factory'
import { type ErrorBody, HELP_PATH } from '../errors.ts'
import type { App, Ctx } from '../http/context.ts'
import { prefersHtml } from '../http/prefers-html.ts'
import { REG_EXAMPLE } from '../wire/fields.ts'
import { type Html, html, sentence } from './html.ts'
import { respond } from './respond.ts'
import { searchBox } from './search-form.ts'

/** Paths for programs, whose errors remain JSON. */
const PROGRAM_PATH = /^\/(api|internal|log|health|ready|\.well-known)(\/|$)/

/** The headings of errors by status. */
export const HEADING: Record<number, string> = {
  400: 'This request is invalid',
  403: 'This is not allowed',
  404: 'This page does not exist',
  405: 'This page does not support this request',
  409: 'This is not possible now',
  413: 'This form is too large',
  415: 'This request is not a form',
  429: 'Too many requests',
  500: 'Something went wrong on our side',
  503: 'The registry cannot respond at the moment',
}

/** Links to what somebody looks for below a path, in place of the search for agents. */
const AREAS = [
  [
    '/docs/',
    html`<li><a href="/docs">Documentation</a></li><li><a href="/docs/search">Search the documentation</a></li>`,
  ],
  ['/console/', html`<li><a href="/console">Console</a></li>`],
] as const

const AGENT_PAGE = /^\/agents\/([^/]+)(?:\/log)?$/
const NO_AGENT = 'There is no such agent'
const NUMBER = /REG-\d{4}-\d{4}-\d{4}-[0-9A-Z]/i

/** Renders JSON errors as pages for browsers, with the same status and headers, except on paths for programs. */
export function errorPages() {
  return createMiddleware<App>(async function errorPages(c, next) {
    await next()
    if (PROGRAM_PATH.test(c.req.path)) return
    if (c.res.status < 400 || !c.res.headers.get('content-type')?.startsWith('application/json')) return
    c.res.headers.append('Vary', 'Accept')
    if (!prefersHtml(c)) return
    const { error } = (await c.res.json()) as ErrorBody // only errorResponse returns JSON with these statuses
    const page = { title: headingOf(error, c.req.path), path: c.req.path, main: errorMain(c, error) }
    c.res = await respond(c, page, { status: error.status }) // keeps the headers already set
  })
}

function headingOf({ status }: ErrorBody['error'], path: string): string {
  return status === 404 && AGENT_PAGE.test(path) ? NO_AGENT : (HEADING[status] ?? 'This did not work')
}

function errorMain(c: Ctx, error: ErrorBody['error']): Html {
  const { code, message, status } = error
  const { path, method } = c.req
  const area = AREAS.find(([begin]) => path.startsWith(begin))
  const retryUrl = `${c.get('env').BASE_URL}${path}${new URL(c.req.url).search}`
  return html`<h1>${headingOf(error, path)}</h1>
<p role="alert">${(status === 404 && notNumber(path)) || sentence(message)}</p>
${status === 404 && !area && searchBox({ value: mistyped(path) })}
<ul class="plain">
${(method === 'GET' || status === 405) && status !== 404 && html`<li><a href="${retryUrl}">${status === 405 ? 'Open the page' : 'Try again'}</a></li>`}
${area?.[1]}
<li><a href="/">Start page</a></li>
${status >= 500 && html`<li><a href="/status">Status of the registry</a></li>`}
<li><a href="${HELP_PATH}#${code}">What this error means</a></li>
</ul>
<p class="hint">${status} ${code}${status >= 500 && html` · request <span class="mono">${c.get('request_id')}</span>`}</p>`
}

/** The message for a path of an agent's page that has something else in place of the number. */
function notNumber(path: string): Html | undefined {
  const given = AGENT_PAGE.exec(path)?.[1]
  if (given === undefined || /^reg-/i.test(given)) return
  return html`This is not an agent number; agent numbers look like <span class="number">${REG_EXAMPLE}</span>.`
}

/** The number in the path of an agent's page, to be corrected in the search box. */
function mistyped(path: string): string {
  return AGENT_PAGE.test(path) ? (NUMBER.exec(path)?.[0] ?? '') : ''
}
