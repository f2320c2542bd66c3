import type { Hono } from 'hono'
import type { App } from '../http/context.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The methods for which a path has a route, for the header `Allow`. */
export function methodsOf(app: Hono<App>, path: string): string[] {
  return METHODS.filter((method) =>
    app.router.match(method, path)[0].some(([[, route]]) => route.method === method),
  ).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
}
