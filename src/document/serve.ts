import type { OpenAPIHono } from '@hono/zod-openapi'
import { buildDocument } from '../../scripts/document/build.ts'
import { tagged } from '../http/caching.ts'
import type { App, Ctx } from '../http/context.ts'

/**
 * Answers the OpenAPI document of an app. It is built at the first request for it, once per isolate.
 *
 * @param prefix the path under which the app's routes stand
 */
export function serveDocument(app: OpenAPIHono<App>, prefix: string) {
  let kept: { baseUrl: string; text: string } | undefined
  return (c: Ctx) => {
    const { BASE_URL: baseUrl } = c.get('env')
    if (kept?.baseUrl !== baseUrl) {
      kept = { baseUrl, text: JSON.stringify(buildDocument(app, baseUrl, prefix)) }
    }
    return tagged(c, kept.text)
  }
}
