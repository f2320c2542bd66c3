import createFetchClient from 'openapi-fetch'
import type { paths } from './api.ts'
import { judgeBatch } from './batch.ts'
import { paginate } from './paginate.ts'
import { IDEMPOTENCY_KEY, KEYED_PATHS, type RetryOptions, withRetries } from './retry.ts'
import type { RegistryClient } from './types.ts'

export { type NothingStored, storedNothing } from './batch.ts'
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

/** Options of a client. */
export interface ClientOptions extends RetryOptions {
  /** URL of the service, for example `https://registry.example`. */
  baseUrl: string
  /** A session token or an API key, or a function that returns one and runs before each call. Default: none. */
  token?: string | (() => string | undefined | Promise<string | undefined>)
  /** Sent with every request. */
  headers?: Record<string, string>
  /** Replaces the global `fetch`, for example with a service binding. */
  fetch?: (request: Request) => Promise<Response>
}

/**
 * Creates a typed client of the registry. It retries requests that are safe to repeat if the service is busy or
 * unavailable. For that, it sends an `Idempotency-Key`, the same in all attempts, with each write that supports one.
 *
 * @returns each call resolves to `{ data, response }`, or `{ error, response }` with `error.error.code`, also if no event
 * of a batch was stored; it rejects only without a response: the network failed, or the call was aborted
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
  // The types of the parameters are checked where they are called.
  const get = client.GET as Parameters<typeof paginate>[0]
  const post = client.POST as (path: string, init?: object) => Promise<{ response: Response }>
  return {
    ...client,
    POST: (async (path: string, init?: object) =>
      judgeBatch(await post(path, init))) as RegistryClient['POST'],
    paginate: ((path, init) => paginate(get, path, init)) as RegistryClient['paginate'],
  }
}
