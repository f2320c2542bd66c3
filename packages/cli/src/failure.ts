import { RegistryError } from '../../client/index.ts'

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

/** Any error as a failure; an error response of the registry has a status and a next step of its own. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  const details = error instanceof RegistryError ? { status: EXIT.no, next: nextStep(error) } : {}
  return new Failure(messageOf(error), details)
}

/** Whether the same call may succeed later: the registry was unavailable or busy. */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof RegistryError)) return error instanceof Failure
  return error.status >= 500 || error.status === 429
}

function nextStep({ code, response }: RegistryError): string | undefined {
  if (code === 'UNAUTHORIZED') return 'sign in again: agentreg login'
  if (code === 'SERVICE_UNAVAILABLE' || code === 'INTERNAL_ERROR') return 'try again in a minute'
  if (code === 'RATE_LIMITED') return `wait ${response.headers.get('retry-after') ?? '60'} s`
  if (code === null) return 'check that --base-url is the URL of an agent registry'
  const help = /<([^>]+)>; *rel="help"/.exec(response.headers.get('link') ?? '')?.[1]
  return help && `more about ${code}: ${help}`
}

/** The message of an error; unwraps the causes of fetch, and aggregate errors of connections. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  if (error instanceof RegistryError) return error.reason
  if (!(error instanceof Error)) return String(error)
  return error.message === 'fetch failed' && error.cause ? messageOf(error.cause) : error.message
}
