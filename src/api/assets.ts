import type { TypedResponse } from 'hono'
import { tagged } from '../http/caching.ts'
import type { Ctx } from '../http/context.ts'

/** Stands in the static files for the service's own address, which only the Worker knows. */
export const BASE_URL_PLACEHOLDER = 'https://base-url.invalid'

/** Where the build leaves what the API serves as it is: below the static files, in the place of its path. */
export const ASSETS = {
  openapi: '/api/v1/openapi.json',
  eventTypes: '/api/v1/event-types.json',
  llms: '/llms.txt',
} as const

/**
 * Responds with a JSON file that the build has made, under the rules of a public read.
 *
 * @throws Error when the build has not made it
 */
export async function assetJson(c: Ctx, path: (typeof ASSETS)[keyof typeof ASSETS]) {
  return (await tagged(c, await readAsset(c, path))) as Response & TypedResponse<never, 200> // the build has made it of the route's schema
}

/** Responds with a text that the build has made, as `assetJson` does. */
export async function assetText(c: Ctx, path: (typeof ASSETS)[keyof typeof ASSETS]) {
  const text = await readAsset(c, path)
  return tagged(c, text, text, 'text/plain; charset=utf-8')
}

async function readAsset(c: Ctx, path: string): Promise<string> {
  const { ASSETS: files, BASE_URL } = c.get('env')
  const response = await files.fetch(new URL(path, BASE_URL_PLACEHOLDER).href)
  if (!response.ok) throw new Error(`the static file ${path} is missing (${response.status})`)
  return (await response.text()).replaceAll(BASE_URL_PLACEHOLDER, BASE_URL)
}
