import type { Message } from './signature-base.ts'

const TARGET = /^\/[^#]*$/

/** What `node:http` and Express pass to a handler. */
export interface NodeRequest {
  method?: string | undefined
  url?: string | undefined
  /** Of Express; `url` of a router lacks the path at which it is mounted. */
  originalUrl?: string | undefined
  headers: Record<string, string | string[] | undefined>
}

/** A request on the server. */
export type ReceivedRequest = Request | NodeRequest

/**
 * Reads a request.
 *
 * @param origins those of the receiver; the `Host` header only chooses among several
 * @returns the message, or why it cannot be one for this receiver
 */
export function readMessage(
  request: ReceivedRequest,
  origins: readonly string[],
): Message | 'malformed' | 'wrong_host' {
  const isWeb = typeof request.headers?.get === 'function'
  const fields = isWeb ? new Headers(request.headers as Headers) : nodeHeaders(request as NodeRequest)
  const given = String((!isWeb && Reflect.get(request, 'originalUrl')) || request.url)
  const web = isWeb && URL.canParse(given) ? new URL(given) : null
  const host = web?.host ?? fields?.get('host')?.toLowerCase()
  const origin = origins.length === 1 ? origins[0] : origins.find((one) => new URL(one).host === host)
  if (!fields) return 'malformed'
  if (origin === undefined) return 'wrong_host'
  const target = web ? web.href.slice(web.origin.length).replace(/#.*$/, '') : given
  if (!TARGET.test(target) || !URL.canParse(origin + target)) return 'malformed'
  const url = new URL(origin + target)
  // Otherwise what is verified could differ from what the application serves.
  if (url.href !== origin + target) return 'malformed'
  return { method: String(request.method), url, field: (name) => fields.get(name) }
}

/**
 * The body as bytes; null if it has already been read, or is not in the request.
 *
 * @param given the option `body` of the receiver
 */
export async function bodyOf(
  request: ReceivedRequest,
  given: string | Uint8Array | ArrayBuffer | undefined,
): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    if (given !== undefined) return new Uint8Array(await new Response(given as ArrayBuffer).arrayBuffer())
    return request instanceof Request ? new Uint8Array(await request.clone().arrayBuffer()) : null
  } catch {
    return null
  }
}

/** Fields of Node; null if one is invalid. Those of HTTP/2 that begin with a colon are no fields. */
function nodeHeaders({ headers }: NodeRequest): Headers | null {
  const fields = new Headers()
  try {
    for (const [name, value] of Object.entries(headers))
      if (!name.startsWith(':')) for (const one of [value ?? []].flat()) fields.append(name, one)
    return fields
  } catch {
    return null
  }
}
