import { readFileSync } from 'node:fs'
import { normalize } from 'node:path'
import { ASSETS, BASE_URL_PLACEHOLDER, HOST_PLACEHOLDER } from '../../src/api/assets.ts'
import { RESULTS_MARKER } from '../../src/pages/docs-search.ts'
import { html, raw } from '../../src/pages/html.ts'
import type { ApiDocument } from '../document/build.ts'
import { errorPage } from './errors.ts'
import { type EventType, eventsPage } from './events.ts'
import { GUIDES, type Guide } from './guides.ts'
import { homePage } from './home.ts'
import { llmsText } from './llms.ts'
import { logPage } from './log-page.ts'
import { publishedMarkdown, type Resolve, renderGuide } from './markdown.ts'
import { contentsOf, type Page, toFile } from './page.ts'
import { referencePages } from './reference.ts'
import { sectionsOf } from './sections.ts'

const ROOT = new URL('../../', import.meta.url)
const FILE = /^([\w./-]+\.md)(#.*)?$/
const ELSEWHERE = /^(https:|#)/
/** The host of the registry in the sources. */
const EXAMPLE_HOST = /(?<![.\w])registry\.example(?!\.\w)/g

/**
 * Generates the documentation site: each page as HTML, the guides as Markdown, the index of the search, and the page of
 * the transparency log. Commands have a placeholder for the URL of the registry.
 *
 * @param document the OpenAPI document, for the reference
 * @param eventTypes those of `GET /event-types`
 * @returns texts by path below the static files
 */
export async function siteFiles(
  document: ApiDocument,
  eventTypes: readonly EventType[],
): Promise<Record<string, string>> {
  const guides = GUIDES.map((guide) => ({ guide, source: readFileSync(new URL(guide.file, ROOT), 'utf8') }))
  const pages = [
    homePage(),
    ...guides.map(({ guide, source }) => guidePage(guide, source)),
    errorPage(),
    ...referencePages(document),
    eventsPage(eventTypes),
  ]
  const files: Record<string, string> = {
    [ASSETS.search.slice(1)]: JSON.stringify((await Promise.all(pages.map(sectionsOf))).flat()),
    'transparency.html': await logPage(),
    'llms.txt': llmsText(),
    'sitemap.xml': sitemap(pages),
  }
  for (const page of [...pages, searchPage()]) files[`${page.path.slice(1)}.html`] = await toFile(page)
  for (const { guide, source } of guides)
    files[`${guide.path.slice(1)}.md`] = publishedMarkdown(source, resolverOf(guide))
  for (const [name, text] of Object.entries(files))
    files[name] = text.replaceAll(EXAMPLE_HOST, HOST_PLACEHOLDER)
  return files
}

/** The start page, the search, and all pages of the documentation, with absolute URLs. Source: sitemaps.org 0.9. */
function sitemap(pages: readonly Page[]): string {
  const paths = ['/', '/agents', '/transparency', ...pages.map(({ path }) => path)]
  const urls = paths.map((path) => `<url><loc>${BASE_URL_PLACEHOLDER}${path}</loc></url>\n`).join('')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls}</urlset>\n`
}

function guidePage(guide: Guide, source: string): Page {
  const { title, html, headings } = renderGuide(source, resolverOf(guide))
  return {
    path: guide.path,
    title,
    description: guide.about,
    contents: contentsOf(headings),
    markdown: `${guide.path}.md`,
    body: raw(html),
  }
}

/** The page in which the Worker inserts what it finds. */
function searchPage(): Page {
  return {
    path: '/docs/search',
    title: 'Search the documentation',
    description: 'Find a term in the guides and the reference.',
    body: html`${raw(RESULTS_MARKER)}`,
  }
}

/** Resolves the links of a guide: to the page of a published guide, or null for other files of the repository. */
function resolverOf({ file }: Guide): Resolve {
  const folder = file.slice(0, file.lastIndexOf('/') + 1)
  return (href) => {
    if (ELSEWHERE.test(href)) return href
    const [, path = '', anchor = ''] = FILE.exec(href) ?? []
    const target = GUIDES.find((one) => one.file === normalize(folder + path))
    return target ? target.path + anchor : null
  }
}
