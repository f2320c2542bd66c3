import createFetchClient, { type Client } from 'openapi-fetch'
import type { components, operations, paths } from './api.ts'

const PREFIX = '/api/v1'

/** The shapes on the wire by their names in the document: `Schemas['Agent']`. */
export type Schemas = components['schemas']

/** An error answer, with the codes that its route can answer. */
export type ErrorAnswer =
  components['responses'][keyof components['responses']]['content']['application/json']

export type ErrorCode = ErrorAnswer['error']['code']

/** A client of the registry: `GET`, `POST`, `PATCH` and `DELETE` with the paths of the document. */
export type RegistryClient = Client<paths, 'application/json'>

export type { operations, paths }

interface Options {
  /** Where the service answers, for example `https://registry.example`. */
  baseUrl: string
  /** A session token or an API key; a function is asked before each request. Left out: public calls only. */
  token?: string | (() => string | undefined | Promise<string | undefined>)
  /** Goes with every request. */
  headers?: Record<string, string>
  /** Instead of the global `fetch`: a service binding, a test. */
  fetch?: (request: Request) => Promise<Response>
}

/**
 * Makes a typed client of the registry. It never throws for an answer of the service.
 *
 * @returns each call gives `{ data, response }`, or `{ error, response }` with `error.error.code`
 */
export function createClient({ baseUrl, token, headers, fetch }: Options): RegistryClient {
  const client = createFetchClient<paths, 'application/json'>({
    baseUrl: baseUrl.replace(/\/+$/, '') + PREFIX,
    ...(headers && { headers }),
    ...(fetch && { fetch }),
  })
  client.use({
    async onRequest({ request }) {
      const given = typeof token === 'function' ? await token() : token
      if (given) request.headers.set('Authorization', `Bearer ${given}`)
      return request
    },
  })
  return client
}
