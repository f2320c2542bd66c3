import { ASSETS, BASE_URL_PLACEHOLDER } from '../../src/api/assets.ts'
import { describeEventTypes } from '../../src/webhooks/manage/event-types.ts'
import { siteFiles } from '../site/files.ts'
import { buildDocument } from './build.ts'

/**
 * Generates the static files: what the API serves unchanged, and the pages below /docs.
 *
 * @returns texts by path below the static files
 */
export async function generateFiles(): Promise<Record<string, string>> {
  const document = buildDocument(BASE_URL_PLACEHOLDER)
  const eventTypes = describeEventTypes()
  return {
    [ASSETS.openapi.slice(1)]: JSON.stringify(document),
    [ASSETS.eventTypes.slice(1)]: JSON.stringify({ data: eventTypes }),
    ...(await siteFiles(document, eventTypes)),
  }
}
