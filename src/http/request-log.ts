import { createMiddleware } from 'hono/factory'
import type { App } from './context.ts'

/** Gives each request its id, on the answer as `X-Request-Id`, and writes one JSON line when it is answered. */
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
      path: c.req.path,
      status: c.res.status,
      duration_ms: Date.now() - began,
      ...(caller && { caller: caller.kind, operator_id: caller.operator_id }),
    })
  })
}

/**
 * Writes one JSON line to the log.
 *
 * @param fields never a token, a secret, a query string or a body
 */
export function log(
  level: 'info' | 'warning' | 'error',
  event: string,
  fields: Record<string, unknown>,
): void {
  console.log(JSON.stringify({ level, event, ...fields }))
}

/** An error as fields for the log: drizzle's wrapper carries SQL and parameters, so only its cause is told. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: typeof error }
  const cause = error.cause instanceof Error ? error.cause : error
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
  return { error: cause.name, code, message: code ? cause.message : safeMessage(cause), stack: frames(cause) }
}

function safeMessage(error: Error): string {
  return error.message.startsWith('Failed query') ? 'failed query' : error.message.slice(0, 300)
}

function frames(error: Error): string[] | undefined {
  return error.stack
    ?.split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, 6)
    .map((line) => line.trim())
}
