import { createMiddleware } from 'hono/factory'
import { type ErrorBody, HELP_PATH } from '../errors.ts'
import type { App, Ctx } from '../http/context.ts'
import { HEADING } from '../pages/errors.ts'
import { html, sentence } from '../pages/html.ts'
import { show } from './shell.ts'

/** Statuses whose errors are rendered elsewhere: requests without a session, and internal errors. */
const ELSEWHERE = [401, 500]
const NOT_HERE = 'This page does not exist in your console'

/** Renders JSON errors as pages of the console. */
export function consoleProblems() {
  return createMiddleware<App>(async function consoleProblems(c, next) {
    await next()
    const { status, headers } = c.res
    if (
      status < 400 ||
      ELSEWHERE.includes(status) ||
      !headers.get('content-type')?.startsWith('application/json')
    )
      return
    const { error } = (await c.res.json()) as ErrorBody // only errorResponse returns JSON with these statuses
    c.res = await problemPage(c, error)
  })
}

function problemPage(c: Ctx, { code, message, status }: ErrorBody['error']): Promise<Response> {
  const title = status === 404 ? NOT_HERE : (HEADING[status] ?? 'This did not work')
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
