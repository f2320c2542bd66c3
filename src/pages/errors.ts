import { createMiddleware } from 'hono/factory'
import { HELP_PATH } from '../errors.ts'
import type { App } from '../http/context.ts'
import { prefersHtml } from '../http/prefers-html.ts'
import { type Html, html } from './html.ts'
import { respond } from './respond.ts'

/** What programs ask for, who are refused in JSON. */
const OF_PROGRAMS = /^\/(api|internal|log|health|ready|\.well-known)(\/|$)/

const HEADING: Record<number, string> = {
  400: 'This address is not right',
  403: 'This is not allowed',
  404: 'There is no such page',
  405: 'This page does not take that',
  429: 'Too many requests',
  500: 'Something went wrong on our side',
  503: 'The registry cannot respond at the moment',
}

interface Refusal {
  error: { code: string; message: string; status: number }
}

/** Shows a person as a page what a program gets as JSON: an error of any path that is no program's, with its status and headers. */
export function errorPages() {
  return createMiddleware<App>(async function errorPages(c, next) {
    await next()
    if (OF_PROGRAMS.test(c.req.path)) return
    if (c.res.status < 400 || !c.res.headers.get('content-type')?.startsWith('application/json')) return
    c.res.headers.append('Vary', 'Accept')
    if (!prefersHtml(c)) return
    const { error } = (await c.res.json()) as Refusal // only errorResponse writes such a status in JSON
    const page = await respond(
      c,
      { title: HEADING[error.status] ?? 'This did not work', path: c.req.path, main: errorMain(error) },
      { status: error.status },
    )
    c.res = new Response(page.body, page) // Hono carries the other headers over
  })
}

function errorMain({ code, message, status }: Refusal['error']): Html {
  const said = message.charAt(0).toUpperCase() + message.slice(1)
  return html`<h1>${HEADING[status] ?? 'This did not work'}</h1>
<p role="alert">${said}${/[.!?]$/.test(said) ? '' : '.'}</p>
<p><a href="/">Start page</a> · <a href="/agents">Search the agents</a> · <a href="${HELP_PATH}#${code}">What this error means</a></p>
<p class="hint">${status} ${code}</p>`
}
