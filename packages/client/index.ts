import createFetchClient from 'openapi-fetch'
import type { paths } from './api.ts'
import { paginate } from './paginate.ts'
import { IDEMPOTENCY_KEY, KEYED_PATHS, type RetryOptions, withRetries } from './retry.ts'
import type { RegistryClient } from './types.ts'

export { RegistryError, unwrap } from './errors.ts'
export type {
  ErrorCode,
  ErrorResponse,
  Item,
  ListPath,
  operations,
  paths,
  RegistryClient,
  Schemas,
} from './types.ts'

const PREFIX = '/api/v1'

/** How a client is made. */
export interface ClientOptions extends RetryOptions {
  /** Where the service responds, for example `https://registry.example`. */
  baseUrl: string
  /** A session token or an API key; a function is asked before each call. Left out: public calls only. */
  token?: string | (() => string | undefined | Promise<string | undefined>)
  /** Goes with every request. */
  headers?: Record<string, string>
  /** Instead of the global `fetch`: a service binding, a test. */
  fetch?: (request: Request) => Promise<Response>
}

/**
 * Makes a typed client of the registry. It sends a request again when the service is busy or away and a second request
 * cannot do more than the first; for that, each write that takes an `Idempotency-Key` has one, the same in all attempts.
 *
 * @returns each call gives `{ data, response }`, or `{ error, response }` with `error.error.code`; it rejects only when
 * there is no response: the network failed, or the call was aborted
 */
export function createClient({
  baseUrl,
  token,
  headers,
  fetch = (request) => globalThis.fetch(request),
  ...retries
}: ClientOptions): RegistryClient {
  const client = createFetchClient<paths, 'application/json'>({
    baseUrl: baseUrl.replace(/\/+$/, '') + PREFIX,
    ...(headers && { headers }),
    fetch: withRetries(fetch, retries),
  })
  client.use({
    async onRequest({ request, schemaPath }) {
      const given = typeof token === 'function' ? await token() : token
      if (given) request.headers.set('Authorization', `Bearer ${given}`)
      const takesKey = request.method === 'POST' && KEYED_PATHS.includes(schemaPath)
      if (takesKey && !request.headers.has(IDEMPOTENCY_KEY))
        request.headers.set(IDEMPOTENCY_KEY, crypto.randomUUID())
      return request
    },
  })
  // The types of the parameters are checked where it is called.
  const get = client.GET as Parameters<typeof paginate>[0]
  return { ...client, paginate: ((path, init) => paginate(get, path, init)) as RegistryClient['paginate'] }
}
