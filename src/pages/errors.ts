import { createMiddleware } from 'hono/factory'
import { type ErrorBody, HELP_PATH } from '../errors.ts'
import type { App, Ctx } from '../http/context.ts'
import { prefersHtml } from '../http/prefers-html.ts'
import { REG_EXAMPLE } from '../wire/fields.ts'
import { type Html, html, sentence } from './html.ts'
import { respond } from './respond.ts'
import { searchBox } from './search-form.ts'

/** What programs ask for, who are rejected in JSON. */
const OF_PROGRAMS = /^\/(api|internal|log|health|ready|\.well-known)(\/|$)/

const HEADING: Record<number, string> = {
  400: 'This address is not right',
  403: 'This is not allowed',
  404: 'There is nothing here',
  405: 'This page does not support this request',
  429: 'Too many requests',
  500: 'Something went wrong on our side',
  503: 'The registry cannot respond at the moment',
}

const OF_AGENTS = /^\/agents\/([^/]+)(?:\/log)?$/
const NO_AGENT = 'There is no such agent'
const NUMBER = /REG-\d{4}-\d{4}-\d{4}-[0-9A-Z]/i

/** Shows a person as a page what a program gets as JSON: an error of any path that is no program's, with its status and headers. */
export function errorPages() {
  return createMiddleware<App>(async function errorPages(c, next) {
    await next()
    if (OF_PROGRAMS.test(c.req.path)) return
    if (c.res.status < 400 || !c.res.headers.get('content-type')?.startsWith('application/json')) return
    c.res.headers.append('Vary', 'Accept')
    if (!prefersHtml(c)) return
    const { error } = (await c.res.json()) as ErrorBody // only errorResponse writes such a status in JSON
    const page = await respond(
      c,
      { title: headingOf(error, c.req.path), path: c.req.path, main: errorMain(c, error) },
      { status: error.status },
    )
    c.res = new Response(page.body, page) // Hono carries the other headers over
  })
}

function headingOf({ status }: ErrorBody['error'], path: string): string {
  return status === 404 && OF_AGENTS.test(path) ? NO_AGENT : (HEADING[status] ?? 'This did not work')
}

function errorMain(c: Ctx, error: ErrorBody['error']): Html {
  const { code, message, status } = error
  const { path, method } = c.req
  const again = `${c.get('env').BASE_URL}${path}${new URL(c.req.url).search}`
  return html`<h1>${headingOf(error, path)}</h1>
<p role="alert">${(status === 404 && notNumber(path)) || sentence(message)}</p>
${status === 404 && html`${meantAgent(path)}${searchBox({ value: mistyped(path) })}`}
<ul class="plain">
${(method === 'GET' || status === 405) && status !== 404 && html`<li><a href="${again}">${status === 405 ? 'Open the page' : 'Try again'}</a></li>`}
<li><a href="/">Start page</a></li>
${status >= 500 && html`<li><a href="/status">Status of the registry</a></li>`}
<li><a href="${HELP_PATH}#${code}">What this error means</a></li>
</ul>
<p class="hint">${status} ${code}${status >= 500 && html` · request <span class="mono">${c.get('request_id')}</span>`}</p>`
}

/** What is wrong with an address of an agent's page that has something else in place of the number. */
function notNumber(path: string): Html | undefined {
  const given = OF_AGENTS.exec(path)?.[1]
  if (given === undefined || /^reg-/i.test(given)) return
  return html`This is not an agent number: one looks like <span class="number">${REG_EXAMPLE}</span>.`
}

/** The number in the address of a page of agents, so that it can be mended. */
function mistyped(path: string): string {
  return OF_AGENTS.test(path) ? (NUMBER.exec(path)?.[0] ?? '') : ''
}

/** A number that stands in an address which is none of ours leads to its agent all the same. */
function meantAgent(path: string): Html | undefined {
  const reg = NUMBER.exec(path)?.[0].toUpperCase()
  if (!reg || path.startsWith('/agents/')) return
  return html`<p>The page of that agent is <a class="number" href="/agents/${reg}">${reg}</a></p>`
}
