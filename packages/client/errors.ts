import type { ErrorCode, ErrorResponse } from './types.ts'

/** An error response of the service, as an exception. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError'
  /** A documented code; null for a response that is not from the service, such as that of a proxy. */
  readonly code: ErrorCode | null
  /** The message without the code. */
  readonly reason: string
  readonly status: number
  /** The id of the request, for questions to the administrator of the registry. */
  readonly requestId: string | null
  readonly response: Response

  constructor(response: Response, body?: unknown) {
    const error = isErrorResponse(body) ? body.error : null
    const reason = error?.message ?? `the registry responded with status ${response.status}`
    super(error ? `${error.code}: ${reason}` : reason)
    this.reason = reason
    this.code = error?.code ?? null
    this.status = response.status
    this.requestId = response.headers.get('X-Request-Id')
    this.response = response
  }
}

/**
 * Returns the data of a call, or throws its error.
 *
 * @param call for example `client.GET(…)`
 * @throws RegistryError for an error response
 */
export async function unwrap<Data>(
  call: Promise<{ data?: Data; error?: unknown; response: Response }>,
): Promise<NonNullable<Data>> {
  const { data, error, response } = await call
  if (!response.ok || error !== undefined) throw new RegistryError(response, error)
  return data as NonNullable<Data>
}

function isErrorResponse(body: unknown): body is ErrorResponse {
  const error = typeof body === 'object' && body !== null ? Reflect.get(body, 'error') : null
  if (typeof error !== 'object' || error === null) return false
  return ['code', 'message'].every((name) => typeof Reflect.get(error, name) === 'string')
}
