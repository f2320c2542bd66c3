import { z } from 'zod'
import { messageOf } from './message.ts'

const TIMEOUT_MS = 15_000

const rejectionShape = z.object({ error: z.object({ code: z.string(), message: z.string() }) })

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
  if (response.status !== status)
    throw new Error(`${what}: ${rejection(response.status, text)}, not ${status}`)
  const parsed = shape.safeParse(parseJson(text))
  if (!parsed.success) throw new Error(`${what}: unexpected response: ${text}`, { cause: parsed.error })
  return parsed.data
}

function rejection(status: number, text: string): string {
  const parsed = rejectionShape.safeParse(parseJson(text))
  return parsed.success
    ? `${status} ${parsed.data.error.code} (${parsed.data.error.message})`
    : String(status)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
