import { ASSETS, BASE_URL_PLACEHOLDER } from '../../src/api/assets.ts'
import { describeEventTypes } from '../../src/webhooks/manage/event-types.ts'
import { siteFiles } from '../site/files.ts'
import { buildDocument } from './build.ts'

/**
 * What is made of the sources of this checkout: what the API serves as it is, and the pages below /docs.
 *
 * @returns texts by path below the static files
 */
export async function madeFiles(): Promise<Record<string, string>> {
  const document = buildDocument(BASE_URL_PLACEHOLDER)
  const eventTypes = describeEventTypes()
  return {
    [ASSETS.openapi.slice(1)]: JSON.stringify(document),
    [ASSETS.eventTypes.slice(1)]: JSON.stringify({ data: eventTypes }),
    ...(await siteFiles(document, eventTypes)),
  }
}
