import { createMiddleware } from 'hono/factory'
import { unavailable } from '../errors.ts'
import type { App } from './context.ts'

const READS = ['GET', 'HEAD', 'OPTIONS']
/** A sign-in writes, although its requests are GET. */
const SIGN_IN = /^\/(api\/v1\/auth\/(sign-in|callback)|console\/sign-in)$/
const RETRY_SECONDS = 300

/**
 * While the setting READ_ONLY is true, rejects requests that may write, so that a database can be restored.
 *
 * @param except a path that is accepted nevertheless
 */
export function readOnly(except?: string) {
  return createMiddleware<App>(async function readOnly(c, next) {
    const { method, path } = c.req
    const mayWrite = !READS.includes(method) || SIGN_IN.test(path)
    if (c.get('env').READ_ONLY && mayWrite && path !== except)
      throw unavailable('this registry is read-only for maintenance; try again later', RETRY_SECONDS)
    await next()
  })
}
