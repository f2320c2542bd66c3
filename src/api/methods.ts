import type { Hono } from 'hono'
import type { App } from '../http/context.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * The path of a route, such that its last parameter does not match what other routes have in its place: a PATCH of
 * `/agents/search` would else be one of an agent.
 *
 * @param paths the paths of all routes
 */
export function apartFrom(paths: readonly string[], path: string): string {
  const [, parent = '', parameter] = /^(.*\/)(:\w+)$/.exec(path) ?? []
  const names = paths.flatMap((one) => (one.startsWith(parent) ? [one.slice(parent.length)] : []))
  const fixed = [...new Set(names)].filter((name) => /^[\w-]+$/.test(name))
  return parameter && fixed.length > 0 ? `${parent}${parameter}{(?!(?:${fixed.join('|')})$)[^/]+}` : path
}

/** The methods for which a path has a route, for the header `Allow`. */
export function methodsOf(app: Hono<App>, path: string): string[] {
  return METHODS.filter((method) =>
    app.router.match(method, path)[0].some(([[, route]]) => route.method === method),
  ).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
}
