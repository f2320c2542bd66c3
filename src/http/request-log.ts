import { createMiddleware } from 'hono/factory'
import { log, loggedPath } from '../lib/log.ts'
import type { App } from './context.ts'

/** Assigns each request an id, returns it as `X-Request-Id`, and logs one JSON line when the response is ready. */
export function requestLog() {
  return createMiddleware<App>(async function requestLog(c, next) {
    const began = Date.now()
    const request_id = c.req.header('cf-ray') ?? crypto.randomUUID()
    c.set('request_id', request_id)
    await next()
    c.res.headers.set('X-Request-Id', request_id)
    const caller = c.get('caller')
    log('info', 'request', {
      request_id,
      method: c.req.method,
      path: loggedPath(c.req.path),
      status: c.res.status,
      duration_ms: Date.now() - began,
      ...(caller && { caller: caller.kind, operator_id: caller.operator_id }),
    })
  })
}
