import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BASE_URL_PLACEHOLDER } from '../../src/api/assets.ts'
import { raw } from '../../src/pages/html.ts'
import type { ApiDocument } from '../document/build.ts'
import { errorPage } from './errors.ts'
import { type EventType, eventsPage } from './events.ts'
import { ALL_GUIDES, type Guide, guideFile, guidePath } from './guides.ts'
import { homePage } from './home.ts'
import { llmsText } from './llms.ts'
import { logPage } from './log-page.ts'
import { publishedMarkdown, type Resolve, renderGuide } from './markdown.ts'
import { contentsOf, type Page, toFile } from './page.ts'
import { referencePages } from './reference.ts'

const SOURCES = new URL('../../docs/', import.meta.url)
const FILE = /^(?:\.\.\/)*([\w./-]+\.md)(#.*)?$/
const ELSEWHERE = /^(https:|#)/

/**
 * Generates the documentation site: each page as HTML, the guides as Markdown, and the page of the transparency log.
 *
 * @param document the OpenAPI document, for the reference
 * @param eventTypes those of `GET /event-types`
 * @returns texts by path below the static files
 */
export async function siteFiles(
  document: ApiDocument,
  eventTypes: readonly EventType[],
): Promise<Record<string, string>> {
  const guides = ALL_GUIDES.map((guide) => ({ guide, source: readGuide(guide) }))
  const pages = [
    homePage(),
    ...guides.map(({ guide, source }) => guidePage(guide, source)),
    errorPage(),
    ...referencePages(document),
    eventsPage(eventTypes),
  ]
  const html = pages.map(async (page) => [`${page.path.slice(1)}.html`, await toFile(page)] as const)
  const markdown = guides.map(
    ({ guide, source }) => [`${guidePath(guide).slice(1)}.md`, publishedMarkdown(source, resolve)] as const,
  )
  return Object.fromEntries([
    ...(await Promise.all(html)),
    ...markdown,
    ['transparency.html', await logPage()],
    ['llms.txt', llmsText()],
    ['sitemap.xml', sitemap(pages)],
  ])
}

/** The start page, the search, and all pages of the documentation, with absolute URLs. Source: sitemaps.org 0.9. */
function sitemap(pages: readonly Page[]): string {
  const paths = ['/', '/agents', '/transparency', ...pages.map(({ path }) => path)]
  const urls = paths.map((path) => `<url><loc>${BASE_URL_PLACEHOLDER}${path}</loc></url>\n`).join('')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls}</urlset>\n`
}

function guidePage(guide: Guide, source: string): Page {
  const { title, html, headings } = renderGuide(source, resolve)
  const path = guidePath(guide)
  return {
    path,
    title,
    description: guide.about,
    above: [{ path: '/docs', name: 'Docs' }],
    contents: contentsOf(headings),
    markdown: `${path}.md`,
    body: raw(html),
  }
}

function readGuide(guide: Guide): string {
  return readFileSync(new URL(guideFile(guide), SOURCES), 'utf8')
}

/** Resolves a link of a guide: to the page of a published guide, or null for other files of the repository. */
const resolve: Resolve = (href) => {
  if (ELSEWHERE.test(href)) return href
  const [, path = '', anchor = ''] = FILE.exec(href) ?? []
  const guide = ALL_GUIDES.find((one) => isFileOf(one, path))
  return guide ? guidePath(guide) + anchor : null
}

/** @param path without the leading `../` */
function isFileOf(guide: Guide, path: string): boolean {
  const file = join('docs', guideFile(guide))
  return file === path || (file.startsWith('docs/') && file.endsWith(`/${path}`))
}
