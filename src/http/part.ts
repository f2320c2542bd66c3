import { Hono } from 'hono/tiny'
import type { App } from './context.ts'

/** A part of the app, to be mounted on it: the app alone looks for routes, so a part needs no router of its own. */
export function part(): Hono<App> {
  const hono = new Hono<App>()
  hono.router = { name: 'none', add: () => undefined, match: () => [[]] }
  return hono
}
