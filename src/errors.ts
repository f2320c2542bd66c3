/** Every error code of the service and its HTTP status. */
export const ERROR_STATUS = {
  VALIDATION_ERROR: 400,
  NO_UPDATES: 400,
  UNAUTHORIZED: 401,
  AGENT_LIMIT_REACHED: 402,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  AGENT_DEACTIVATED: 410,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_MISMATCH: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

/** A response that is not a success: thrown by routes and middleware, written by `errorResponse` alone. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly headers: Record<string, string>

  constructor(code: ErrorCode, message: string, headers: Record<string, string> = {}) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.headers = headers
  }
}

/** What `errorResponse` writes. */
export interface ErrorBody {
  error: { code: string; message: string; status: number }
}

/** The page that says of each code what it means and what to do. */
export const HELP_PATH = '/docs/errors'

/**
 * Writes the one error shape: `{error: {code, message, status}}`, with the address of its help in `Link`. Caches may keep
 * a 404 or 405 that does not say how long: none is kept.
 *
 * @param baseUrl where the service responds; empty while its settings are not known
 */
export function errorResponse({ code, message, headers }: ApiError, baseUrl = ''): Response {
  const status = ERROR_STATUS[code]
  const Link = `<${baseUrl}${HELP_PATH}#${code}>; rel="help"`
  return Response.json(
    { error: { code, message, status } },
    { status, headers: { 'Cache-Control': 'no-store', ...headers, Link } },
  )
}
