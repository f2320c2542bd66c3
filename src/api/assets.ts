import type { TypedResponse } from 'hono'
import { tagged } from '../http/caching.ts'
import type { Ctx } from '../http/context.ts'

/** Stands for BASE_URL in the static files, because only the Worker knows it. */
export const BASE_URL_PLACEHOLDER = 'https://base-url.invalid'

/** Paths of the files that the build makes and the API serves, within the static files. */
export const ASSETS = {
  openapi: '/api/v1/openapi.json',
  eventTypes: '/api/v1/event-types.json',
  llms: '/llms.txt',
  sitemap: '/sitemap.xml',
} as const

/**
 * Responds with a JSON file that the build has made, like a public read.
 *
 * @throws Error if the file is missing
 */
export async function assetJson(c: Ctx, path: (typeof ASSETS)[keyof typeof ASSETS]) {
  return (await tagged(c, await readAsset(c, path))) as Response & TypedResponse<never, 200> // built from the route's schema
}

/** As `assetJson`, for a file of another type. */
export async function assetText(
  c: Ctx,
  path: (typeof ASSETS)[keyof typeof ASSETS],
  type = 'text/plain; charset=utf-8',
) {
  const text = await readAsset(c, path)
  return tagged(c, text, text, type)
}

async function readAsset(c: Ctx, path: string): Promise<string> {
  const { ASSETS: files, BASE_URL } = c.get('env')
  const response = await files.fetch(new URL(path, BASE_URL_PLACEHOLDER).href)
  if (!response.ok) throw new Error(`the static file ${path} is missing (${response.status})`)
  return (await response.text()).replaceAll(BASE_URL_PLACEHOLDER, BASE_URL)
}
