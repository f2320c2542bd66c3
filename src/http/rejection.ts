import { HTTPException } from 'hono/http-exception'
import { isUnavailable } from '../db/errors.ts'
import { ApiError, errorResponse, unavailable } from '../errors.ts'
import { describeError, log, loggedPath } from '../lib/log.ts'
import type { Ctx } from './context.ts'

/** The response to a request that failed with an error. Details of unexpected errors are only logged. */
export function rejectionOf(error: unknown, c: Ctx): Response {
  return errorResponse(toApiError(error, c), c.get('env')?.BASE_URL)
}

function toApiError(error: unknown, c: Ctx): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof HTTPException && error.status === 415) {
    return new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type: must be application/json')
  }
  if (error instanceof HTTPException && error.status < 500) {
    return new ApiError('VALIDATION_ERROR', 'the request is malformed; check its URL, headers, and body')
  }
  log('error', 'request_failed', {
    request_id: c.get('request_id'),
    path: loggedPath(c.req.path),
    ...describeError(error),
  })
  if (isUnavailable(error)) return unavailable(`the database is not responding; ${adviceFor(c)}`)
  return new ApiError(
    'INTERNAL_ERROR',
    'internal error; if it persists, report the X-Request-Id to the administrator of this registry',
  )
}

/** What the caller should do: when the database does not respond in time, a write may still have succeeded. */
function adviceFor(c: Ctx): string {
  const mayHaveWritten = c.get('caller') && c.req.method !== 'GET'
  if (!mayHaveWritten) return 'try again shortly'
  return c.get('repeatable')
    ? 'this request may have taken effect: repeat it with the same Idempotency-Key so that it takes effect only once'
    : 'this request may have taken effect: check before you repeat it'
}
