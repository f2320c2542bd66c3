import { createMiddleware } from 'hono/factory'
import { type ErrorBody, HELP_PATH } from '../errors.ts'
import type { App, Ctx } from '../http/context.ts'
import { html, sentence } from '../pages/html.ts'
import { show } from './shell.ts'

const HEADING: Record<number, string> = {
  400: 'This request is invalid',
  403: 'This request was rejected',
  404: 'This page does not exist in your console',
  409: 'This is not possible now',
  413: 'This form is too large',
  415: 'This request is not a form',
  429: 'Too many requests',
  503: 'The registry cannot respond at the moment',
}

/** Renders JSON errors as pages of the console. Requests without a session and internal errors are rendered elsewhere. */
export function consoleProblems() {
  return createMiddleware<App>(async function consoleProblems(c, next) {
    await next()
    const { status, headers } = c.res
    if (!HEADING[status] || !headers.get('content-type')?.startsWith('application/json')) return
    const { error } = (await c.res.json()) as ErrorBody // only errorResponse returns JSON with these statuses
    const page = await problemPage(c, error)
    c.res = new Response(page.body, page) // Hono copies the headers already set
  })
}

function problemPage(c: Ctx, { code, message, status }: ErrorBody['error']): Promise<Response> {
  const title = HEADING[status] ?? 'This did not work'
  const isUndone = c.req.method === 'POST' && status < 500
  return show(c, {
    title,
    status,
    main: html`<h1>${title}</h1>
<p role="alert">${sentence(message)}${isUndone && ' Nothing was changed.'}</p>
<p><a class="button first" href="${sectionOf(c.req.path)}">Continue in the console</a></p>
<p class="hint"><a href="${HELP_PATH}#${code}">What this error means</a> · ${status} ${code}</p>`,
  })
}

/** The first page of the section that a path belongs to: /console/agents for every path below it. */
function sectionOf(path: string): string {
  const section = path.split('/')[2]
  return section && SECTIONS.includes(section) ? `/console/${section}` : '/console'
}

const SECTIONS = ['agents', 'keys', 'platforms', 'notifications', 'audit', 'account']
