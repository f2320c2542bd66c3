import type { z } from 'zod'
import { messageOf } from '../../scripts/support/message.ts'
import { printResponse, quote, say } from './print.ts'

const TIMEOUT_MS = 15_000

/** A call of the API. */
export interface Call<T> {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `/api/v1`. */
  path: string
  /** The credential, and the shell variable that holds it in the printed command. */
  as?: { variable: string; token: string }
  body?: object
  /** The time of the request, sent as `X-Test-Now`; only a local stack accepts it. */
  at?: Date
  status: number
  shape: z.ZodType<T>
}

/**
 * Calls the API.
 *
 * @param api the URL that `path` is appended to
 * @throws Error that names the call, its status, and the error code and message of the service
 */
export async function call<T>(
  api: string,
  { method, path, as, body, at, status, shape }: Call<T>,
): Promise<T> {
  const what = `${method} ${path}`
  const response = await fetch(api + path, {
    method,
    headers: {
      ...(as && { Authorization: `Bearer ${as.token}` }),
      ...(body && { 'Content-Type': 'application/json' }),
      ...(at && { 'X-Test-Now': at.toISOString() }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((cause) => {
    throw new Error(`${what}: no response from ${api} (${messageOf(cause)})`, { cause })
  })
  const text = await response.text()
  if (response.status !== status) throw new Error(`${what}: ${response.status} ${text}, not ${status}`)
  return shape.parse(JSON.parse(text))
}

/** Prints the command of a call, makes the call, and prints the response. */
export async function showCall<T>(api: string, made: Call<T>): Promise<T> {
  say(...curl(made))
  const response = await call(api, made)
  printResponse(made.status, response)
  return response
}

/** The curl command of a call, as lines; `API` and the credential are shell variables. */
function curl({ method, path, as, body, at }: Call<unknown>): string[] {
  const parts = [`curl -s "$API${path}"`]
  if (as) parts.push(`-H "Authorization: Bearer $${as.variable}"`)
  if (at) parts.push(`-H 'X-Test-Now: ${at.toISOString()}'`)
  if (method !== (body ? 'POST' : 'GET')) parts.push(`-X ${method}`)
  if (body) parts.push(`-H 'Content-Type: application/json' -d ${quote(JSON.stringify(body))}`)
  return parts.map((part, i) => (i === 0 ? '' : '  ') + part + (i < parts.length - 1 ? ' \\' : ''))
}
