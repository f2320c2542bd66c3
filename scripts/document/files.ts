import { ASSETS, BASE_URL_PLACEHOLDER } from '../../src/api/assets.ts'
import { describeEventTypes } from '../../src/webhooks/manage/event-types.ts'
import { buildDocument } from './build.ts'

/** What the API serves as it is, made of the routes of this checkout: paths below the static files, and their JSON. */
export function apiFiles(): Record<string, unknown> {
  return {
    [ASSETS.openapi]: buildDocument(BASE_URL_PLACEHOLDER),
    [ASSETS.eventTypes]: { data: describeEventTypes() },
  }
}
