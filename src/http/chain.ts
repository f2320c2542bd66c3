import type { MiddlewareHandler } from 'hono'
import type { App } from './context.ts'
import { rejectionOf } from './rejection.ts'

/**
 * The handlers of a route as one. The router then holds one entry for each route instead of eight, which an isolate pays
 * for when it starts, and each request when it looks for its route.
 *
 * They run as Hono runs handlers: an error becomes its response where it was thrown, and those before see that.
 *
 * @param make makes them, at the first request
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
