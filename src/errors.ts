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

/** A field of the input, and what is wrong with it. */
export type FieldProblem = readonly [field: string, problem: string]

/** An error response: thrown by routes and middleware, written only by `errorResponse`. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly headers: Record<string, string>
  /** The fields that the message names. */
  readonly fields: readonly FieldProblem[]

  /** @param problem the message, or the fields that it names: `[['name', 'required']]` */
  constructor(
    code: ErrorCode,
    problem: string | readonly FieldProblem[],
    headers: Record<string, string> = {},
  ) {
    super(typeof problem === 'string' ? problem : describeFields(problem))
    this.name = 'ApiError'
    this.code = code
    this.headers = headers
    this.fields = typeof problem === 'string' ? [] : problem
  }
}

/** The error for a request that cannot be served at the moment. */
export function unavailable(message: string, retrySeconds = 5): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', message, { 'Retry-After': String(retrySeconds) })
}

/** The problems of fields in one line: `name: required; class: must be A, S, or H`. */
export function describeFields(problems: readonly FieldProblem[]): string {
  return problems.map(([field, problem]) => `${field}: ${problem}`).join('; ')
}

export interface ErrorBody {
  error: { code: string; message: string; status: number }
}

/** The page that explains each error code. */
export const HELP_PATH = '/docs/errors'

/**
 * Makes an error response, `{error: {code, message, status}}`, with a link to its help in `Link`. It is never cached:
 * by default, caches may store a 404 or 405.
 *
 * @param baseUrl BASE_URL; empty if the settings are not known
 */
export function errorResponse({ code, message, headers }: ApiError, baseUrl = ''): Response {
  const status = ERROR_STATUS[code]
  const Link = `<${baseUrl}${HELP_PATH}#${code}>; rel="help"`
  return Response.json(
    { error: { code, message, status } },
    { status, headers: { 'Cache-Control': 'no-store', ...headers, Link } },
  )
}
