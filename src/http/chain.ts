import type { MiddlewareHandler } from 'hono'
import type { App } from './context.ts'
import { rejectionOf } from './rejection.ts'

/**
 * Combines the handlers of a route into one. The router then has one entry per route instead of eight, which makes the
 * start of an isolate and the lookup of a route faster.
 *
 * As in Hono, an error becomes a response where it is thrown, and the handlers before it see that response.
 *
 * @param make makes the handlers, at the first request
 */
export function chain(make: () => readonly MiddlewareHandler<App>[]): MiddlewareHandler<App> {
  let handlers: readonly MiddlewareHandler<App>[] | undefined
  return function chained(c, next) {
    handlers ??= make()
    const all = handlers
    const run = async (n: number): Promise<void> => {
      const handler = all[n]
      if (!handler) return next()
      try {
        const response = await handler(c, () => run(n + 1))
        if (response && !c.finalized) c.res = response
      } catch (error) {
        c.res = rejectionOf(error, c)
      }
    }
    return run(0)
  }
}
