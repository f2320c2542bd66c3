import type { TypedResponse } from 'hono'
import { tagged } from '../http/caching.ts'
import type { Ctx } from '../http/context.ts'

/** Stands in the static files for the service's own address, which only the Worker knows. */
export const BASE_URL_PLACEHOLDER = 'https://base-url.invalid'

/** Where the build leaves what the API serves as it is: below the static files, in the place of its path. */
export const ASSETS = {
  openapi: '/api/v1/openapi.json',
  eventTypes: '/api/v1/event-types.json',
} as const

/**
 * Responds with a JSON file that the build has made, under the rules of a public read.
 *
 * @throws Error when the build has not made it
 */
export async function assetJson(c: Ctx, path: (typeof ASSETS)[keyof typeof ASSETS]) {
  const { ASSETS: files, BASE_URL } = c.get('env')
  const response = await files.fetch(new URL(path, BASE_URL_PLACEHOLDER).href)
  if (!response.ok) throw new Error(`the static file ${path} is missing (${response.status})`)
  const text = (await response.text()).replaceAll(BASE_URL_PLACEHOLDER, BASE_URL)
  return (await tagged(c, text)) as Response & TypedResponse<never, 200> // the build has made it of the route's schema
}
