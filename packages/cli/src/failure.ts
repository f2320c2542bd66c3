/** Exit statuses: `no` is a negative result, `stopped` means that there is no result. */
export const EXIT = { ok: 0, no: 1, stopped: 2 } as const

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT]

interface Details {
  /** What to do about it: a command, or a sentence. */
  next?: string | undefined
  status?: ExitStatus
  cause?: unknown
}

/** Why a command failed. */
export class Failure extends Error {
  readonly next: string | undefined
  readonly status: ExitStatus

  constructor(message: string, { next, status = EXIT.stopped, cause }: Details = {}) {
    super(message, { cause })
    this.next = next
    this.status = status
  }
}

/** The result of a call of the client. */
export interface Outcome<Data> {
  data?: Data | undefined
  error?: unknown
  response: Response
}

/** An error response of the registry. */
export class Rejection extends Failure {
  readonly code: string
  readonly response: Response

  constructor(code: string, message: string, response: Response) {
    super(message, { status: EXIT.no, next: nextStep(code, response) })
    this.code = code
    this.response = response
  }
}

/**
 * Returns the data of a call.
 *
 * @throws Rejection when the registry returned an error
 */
export function requireData<Data>({ data, error, response }: Outcome<Data>): Data {
  if (response.ok) return data as Data // undefined only for 204
  const { code, message } = readError(error)
  throw new Rejection(code ?? `HTTP_${response.status}`, message ?? `status ${response.status}`, response)
}

function readError(body: unknown): { code?: string; message?: string } {
  const error = isRecord(body) && isRecord(body.error) ? body.error : {}
  return {
    ...(typeof error.code === 'string' && { code: error.code }),
    ...(typeof error.message === 'string' && { message: error.message }),
  }
}

/** Whether the same call may succeed later: the registry was unavailable or busy. */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof Rejection)) return error instanceof Failure
  return error.response.status >= 500 || error.response.status === 429
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function nextStep(code: string, response: Response): string | undefined {
  if (code === 'UNAUTHORIZED') return 'sign in again: agentreg login'
  if (code === 'SERVICE_UNAVAILABLE' || code === 'INTERNAL_ERROR') return 'try again in a minute'
  if (code === 'RATE_LIMITED') return `wait ${response.headers.get('retry-after') ?? '60'} s`
  if (code.startsWith('HTTP_')) return 'check that --base-url is the URL of an agent registry'
  const help = /<([^>]+)>; *rel="help"/.exec(response.headers.get('link') ?? '')?.[1]
  return help && `more about ${code}: ${help}`
}

/** The message of an error; unwraps the causes of fetch, and aggregate errors of connections. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  if (!(error instanceof Error)) return String(error)
  return error.message === 'fetch failed' && error.cause ? messageOf(error.cause) : error.message
}
