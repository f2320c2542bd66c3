import type { Section } from '../../src/pages/docs-search.ts'
import { REFERENCE } from './guides.ts'
import type { Page } from './page.ts'

const BEFORE_HEADING = /(?=<h[23] id=")/
const HEADING = /^<h[23] id="([^"]*)">(.*?)<\/h[23]>/s
const INLINE_TAG = /<\/?(a|b|code|em|small|span|strong)\b[^>]*>/g
const NAME = /<code>([\w.[\]-]+)<\/code>/g
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** The sections of a page, for the search. The page of an operation is one: its beginning, and the names in its tables. */
export async function sectionsOf({ path, title, body }: Page): Promise<Section[]> {
  const [start = '', ...rest] = String(await body).split(BEFORE_HEADING)
  if (path.startsWith(`${REFERENCE}/`)) {
    const names = new Set([...rest.join('').matchAll(NAME)].map(([, name]) => name))
    return [{ path, page: title, heading: '', text: [textOf(start), ...names].join(' ') }]
  }
  return [start, ...rest].map((part) => {
    const [whole = '', id = '', heading = ''] = HEADING.exec(part) ?? []
    const text = textOf(part.slice(whole.length))
    return { path: id === '' ? path : `${path}#${id}`, page: title, heading: textOf(heading), text }
  })
}

function textOf(html: string): string {
  return html
    .replaceAll(INLINE_TAG, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(#?\w+);/g, (entity, name) => ENTITIES[name] ?? entity)
    .replaceAll(/\s+/g, ' ')
    .trim()
}
