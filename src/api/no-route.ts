import type { Hono } from 'hono'
import { ApiError } from '../errors.ts'
import type { App, Ctx } from '../http/context.ts'
import { prefersHtml } from '../http/prefers-html.ts'
import { methodsOf } from './methods.ts'

/** Hints for requests whose path does not support the method. */
const HINTS: Record<string, string> = {
  'GET /agents': 'to list agents, use GET /agents/search; to list your own, use GET /operators/me/agents',
  'GET /activity/report': 'to list events, use GET /agents/{reg}/activity',
}

/**
 * The error for a request that matches no route: 405 with the methods of its path, else 404.
 *
 * @param root the path under which the API is served
 */
export function noRoute(app: Hono<App>, c: Ctx, root: string): ApiError {
  const { path, method } = c.req
  const allowed = methodsOf(app, path)
  if (allowed.length === 0)
    return new ApiError('NOT_FOUND', `${path} does not exist${whereElse(app, c, root)}`)
  const Allow = allowed.join(', ')
  const hint = path.startsWith(root) ? HINTS[`${method} ${path.slice(root.length)}`] : undefined
  const message = `${path} supports ${Allow}, not ${method}${hint ? `; ${hint}` : ''}`
  return new ApiError('METHOD_NOT_ALLOWED', message, { Allow })
}

function whereElse(app: Hono<App>, c: Ctx, root: string): string {
  const { path } = c.req
  const { BASE_URL } = c.get('env')
  if (path === root)
    return `; endpoints are listed at ${BASE_URL}${root}/openapi.json and documented at ${BASE_URL}/docs`
  if (!path.startsWith(`${root}/`)) {
    if (methodsOf(app, root + path).length > 0) return `; use ${BASE_URL}${root}${path}`
    return prefersHtml(c) ? '' : `; the API is at ${BASE_URL}${root}`
  }
  const bare = path.replace(/\/+$/, '')
  return bare !== path && methodsOf(app, bare).length > 0 ? `; use ${bare}, without the trailing slash` : ''
}
