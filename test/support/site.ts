import { buildDocument } from '../../scripts/document/build.ts'
import { siteFiles } from '../../scripts/site/files.ts'
import { BASE_URL_PLACEHOLDER } from '../../src/api/assets.ts'
import { describeEventTypes } from '../../src/webhooks/manage/event-types.ts'
import { decode } from './page.ts'

export const document = buildDocument(BASE_URL_PLACEHOLDER)

/** The files of the documentation site, by path below the static files. */
export const files = await siteFiles(document, describeEventTypes())

/** Its pages below /docs: the path of each, and its HTML. */
export const pages = Object.entries(files)
  .filter(([name]) => /^docs\b.*\.html$/.test(name))
  .map(([name, html]) => ({ path: `/${name.slice(0, -'.html'.length)}`, html }))

/** The unresolved targets of the links of a page. */
export function hrefsOf(html: string): string[] {
  return [...html.matchAll(/<a [^>]*?href="([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'))
}

/** The anchors of a page. */
export function idsOf(html: string): string[] {
  return [...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id)
}

/**
 * The text of a piece of HTML as it is read.
 *
 * @param kept a tag that is left in
 */
export function textIn(html: string, kept = ''): string {
  return decode(html.replaceAll(/<\/?(\w+)[^>]*>/g, (tag, name) => (name === kept ? tag : '')))
}
