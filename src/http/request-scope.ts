import { createMiddleware } from 'hono/factory'
import { connect } from '../db/client.ts'
import { parseEnv } from '../env.ts'
import { ApiError } from '../errors.ts'
import type { App } from './context.ts'

// Ids start with the time since 1970; and times in the future, such as the expiry of a session, must fit into Postgres.
const FIRST = Date.parse('1970-01-01T00:00:00Z')
const LAST = Date.parse('9991-01-01T00:00:00Z')

/** Sets the settings, the clock, the database, and one deadline for all network steps of a request. */
export function requestScope() {
  return createMiddleware<App>(async function requestScope(c, next) {
    const env = parseEnv(c.env)
    const signal = AbortSignal.timeout(env.REQUEST_DEADLINE_MS)
    c.set('env', env)
    c.set('signal', signal)
    c.set('db', connect(env, signal))
    c.set('waitUntil', (work) => c.executionCtx.waitUntil(work))
    c.set('now', requestClock(env.ALLOW_TEST_CLOCK ? c.req.header('x-test-now') : undefined))
    await next()
  })
}

/** A clock that starts at the given ISO time, or now, and then runs like the real one. */
function requestClock(start?: string): () => Date {
  const began = Date.now()
  const base = start === undefined ? began : Date.parse(start)
  if (!(base >= FIRST && base < LAST)) {
    throw new ApiError('VALIDATION_ERROR', 'X-Test-Now: must be an ISO 8601 time in the years 1970 to 9990')
  }
  return () => new Date(base + Date.now() - began)
}
