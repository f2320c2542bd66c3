import { bodyLimit } from 'hono/body-limit'
import { createMiddleware } from 'hono/factory'
import { ApiError } from '../errors.ts'
import type { App } from './context.ts'

const JSON_TYPE = /^application\/json\s*(;|$)/i
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i
const FORM_MAX_BYTES = 64 * 1024

/**
 * Rejects a body that is too large (413), compressed or not declared as JSON (415), or not JSON (400), in this order.
 *
 * Source: RFC 9110, section 12.5.3: the 415 names the supported content codings in `Accept-Encoding`.
 */
export function jsonBody(maxBytes: number) {
  const limit = bodyAtMost(maxBytes)
  return createMiddleware<App>(async function jsonBody(c, next) {
    return limit(c, async () => {
      const encoding = c.req.header('content-encoding') ?? 'identity'
      if (encoding.toLowerCase() !== 'identity') {
        const message = 'Content-Encoding: not supported; send the body without compression'
        throw new ApiError('UNSUPPORTED_MEDIA_TYPE', message, { 'Accept-Encoding': 'identity' })
      }
      if (!JSON_TYPE.test(c.req.header('content-type') ?? '')) {
        throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type: must be application/json')
      }
      const body = await c.req.json().catch(() => {
        throw new ApiError('VALIDATION_ERROR', 'body: must be valid JSON')
      })
      c.req.json = async () => body // the validator calls it again and would parse again
      await next()
    })
  })
}

/** Rejects a form that is too large (413) or of another type (415). */
export function formBody() {
  const limit = bodyAtMost(FORM_MAX_BYTES)
  return createMiddleware<App>(async function formBody(c, next) {
    return limit(c, async () => {
      if (!FORM_TYPE.test(c.req.header('content-type') ?? '')) {
        throw new ApiError(
          'UNSUPPORTED_MEDIA_TYPE',
          'Content-Type: must be application/x-www-form-urlencoded',
        )
      }
      await next()
    })
  })
}

/** Rejects a body that is too large (413), or that the sender cuts off (400). Hono keeps it for what reads it next. */
export function bodyAtMost(maxBytes: number) {
  const limit = bodyLimit({
    maxSize: maxBytes,
    onError: () => {
      throw new ApiError('PAYLOAD_TOO_LARGE', `body: at most ${maxBytes} bytes`)
    },
  })
  return createMiddleware<App>(async function bodyAtMost(c, next) {
    try {
      await limit(c, async () => undefined)
      await c.req.text()
    } catch (error) {
      throw error instanceof ApiError ? error : new ApiError('VALIDATION_ERROR', 'body: is incomplete')
    }
    await next()
  })
}
