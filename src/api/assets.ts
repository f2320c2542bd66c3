import type { TypedResponse } from 'hono'
import { tagged } from '../http/caching.ts'
import type { Ctx } from '../http/context.ts'

/** Stands for BASE_URL in the static files, because only the Worker knows it. */
export const BASE_URL_PLACEHOLDER = 'https://base-url.invalid'
export const HOST_PLACEHOLDER = new URL(BASE_URL_PLACEHOLDER).host

/** Paths of the files that the build makes and the API serves, within the static files. */
export const ASSETS = {
  openapi: '/api/v1/openapi.json',
  eventTypes: '/api/v1/event-types.json',
  llms: '/llms.txt',
  sitemap: '/sitemap.xml',
  search: '/docs/search.json',
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

/** A file of the build with the URL of this registry; null if it does not exist. */
export async function findAsset(c: Ctx, path: string): Promise<string | null> {
  const { ASSETS: files, BASE_URL } = c.get('env')
  const response = await files.fetch(new URL(path, BASE_URL_PLACEHOLDER).href)
  if (response.status === 404) return null
  if (!response.ok) throw new Error(`the static file ${path} cannot be read (${response.status})`)
  const { host } = new URL(BASE_URL)
  return (await response.text()).replaceAll(BASE_URL_PLACEHOLDER, BASE_URL).replaceAll(HOST_PLACEHOLDER, host)
}

/** As `findAsset`, for a file that must exist. */
export async function readAsset(c: Ctx, path: string): Promise<string> {
  const text = await findAsset(c, path)
  if (text === null) throw new Error(`the static file ${path} is missing`)
  return text
}
