import { BASE_URL_PLACEHOLDER } from '../../src/api/assets.ts'
import { type Html, html, raw } from '../../src/pages/html.ts'
import { layout } from '../../src/pages/layout.ts'
import { READERS } from './guides.ts'
import type { Heading } from './markdown.ts'

export interface Link {
  path: string
  name: string
}

/** A page below /docs. */
export interface Page {
  path: string
  title: string
  /** One sentence for search engines and previews. */
  description: string
  /** Its parent pages between the documentation's first page and itself. */
  above?: readonly Link[]
  /** Next to the text on a wide screen, and above it on a narrow one. */
  contents?: Html | null
  /** Next to the text on a wide screen, and below it on a narrow one. */
  related?: Html
  /** The path of the page as Markdown. */
  markdown?: string
  /** Below the title, which is the heading of the page. */
  body: Html
}

const ROOT = { path: '/docs', name: 'Docs' }
const CONTENTS_MIN = 3

/** Renders a page as a file, with the placeholder of the registry's URL. */
export async function toFile(page: Page): Promise<string> {
  const { path, title, description, above = [], contents, related, markdown, body } = page
  const parents = path === ROOT.path ? [] : [ROOT, ...above]
  const trail = parents.map(({ path, name }) => html`<li><a href="${path}">${name}</a></li>`)
  const main = html`<div class="bar">
${trail.length > 0 && html`<nav class="crumbs" aria-label="Breadcrumb"><ol class="plain">${trail}</ol></nav>`}
<a class="to-pages" href="#pages">All pages</a>
<form role="search" action="/docs/search"><input type="search" name="q" required maxlength="100" aria-label="Search the documentation" placeholder="Search the documentation"><button class="light">Search</button></form>
</div>
<div class="shell">
<article class="docs">
<h1>${title}</h1>
${contents}
<div>
${body}
${markdown && html`<p class="source"><a href="${markdown}">This page as Markdown</a></p>`}
</div>
${related}
</article>
<nav class="pages" id="pages" aria-label="Documentation">${Object.entries(READERS).map(
    ([reader, entries]) => html`<h2>${reader}</h2>${linkList(entries, path)}`,
  )}</nav>
</div>`
  const head = html`<link rel="stylesheet" href="/ui/docs.css">
${markdown && html`<link rel="alternate" type="text/markdown" href="${markdown}">`}`
  return String(await layout(BASE_URL_PLACEHOLDER, { title, description, path, head, main }))
}

/** The headings as a list of links; null if there are too few. */
export function contentsOf(headings: readonly Heading[]): Html | null {
  if (headings.length < CONTENTS_MIN) return null
  const lines = headings.map(
    ({ depth, id, text }) =>
      html`<li${depth > 2 ? raw(' class="below"') : ''}><a href="#${id}">${breakable(text)}</a></li>`,
  )
  return aside('On this page', html`<ul>${lines}</ul>`)
}

/** A text of a link, whose names may be broken after `_`, `.`, and `/`. */
function breakable(text: string): Html {
  return html`${text.split(/(?<=[\w}][_./])(?=[\w{])/).map((part, n) => html`${n > 0 && raw('<wbr>')}${part}`)}`
}

/** A list of links next to the text; the link of the current page is marked. */
export function relatedOf(heading: string, links: readonly Link[], current: string): Html {
  return aside(heading, linkList(links, current))
}

function linkList(links: readonly Link[], current: string): Html {
  return html`<ul>${links.map(
    ({ path, name }) => html`<li><a href="${path}"${currentOf(path, current)}>${breakable(name)}</a></li>`,
  )}</ul>`
}

/** Marks the link of the current page, or that of the reference on the page of an operation. */
function currentOf(path: string, current: string): Html | string {
  if (path === current) return raw(' aria-current="page"')
  return current.startsWith(`${path}/`) ? raw(' aria-current="true"') : ''
}

function aside(heading: string, list: Html): Html {
  return html`<nav class="aside" aria-labelledby="aside-title"><h2 id="aside-title">${heading}</h2>
${list}</nav>`
}
