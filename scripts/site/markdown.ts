import { Marked, type Token, type Tokens } from 'marked'
import { html, raw, scrolling } from '../../src/pages/html.ts'

export interface Heading {
  depth: number
  text: string
  id: string
}

/** A rendered guide: its first heading, the text below it, and the headings of that text. */
interface Rendered {
  title: string
  html: string
  headings: Heading[]
}

/** Returns the target of a link on the site; null if it is not published. */
export type Resolve = (href: string) => string | null

const PUBLISHED = '/docs/'
const IN_PAGE = /^#/
const COMMENT = /^<!--[\s\S]*-->\s*$/
const ANCHOR = /^(<a id="[\w-]+">|<\/a>)$/

/**
 * Renders a guide as HTML: headings with the anchors of GitHub, and wide blocks that scroll.
 *
 * A paragraph of links to the guide's own headings is omitted, because the page has a table of contents.
 *
 * @throws Error when the guide has no title, or two headings with the same name
 */
export function renderGuide(markdown: string, resolve: Resolve): Rendered {
  const [first, ...tokens] = markedWith(resolve).lexer(markdown)
  if (first?.type !== 'heading' || first.depth !== 1) throw new Error('a guide begins with its title')
  const title = plain(first.text)
  const kept = tokens.filter((token) => !isContents(token))
  const headings = kept.flatMap((token): Heading[] => {
    if (token.type !== 'heading') return []
    return [{ depth: token.depth, text: plain(token.text), id: anchorOf(token.text) }]
  })
  const ids = new Set(headings.map(({ id }) => id))
  if (ids.size < headings.length) throw new Error(`${first.text}: two headings have one name`)
  return { title, html: markedWith(resolve, title).parser(kept), headings }
}

/** Renders inline Markdown, such as descriptions of the API. */
export function renderInline(text: string): string {
  return markedWith((href) => href).parseInline(text) as string // synchronous, as no extension is asynchronous
}

/** Renders Markdown with paragraphs, such as the description of the API. */
export function renderText(text: string): string {
  return markedWith((href) => href).parse(text) as string // synchronous, as no extension is asynchronous
}

/** The Markdown that is published next to a page: without comments of generators; links lead to published files only, in one folder. */
export function publishedMarkdown(markdown: string, resolve: Resolve): string {
  const marked = markedWith(resolve)
  let text = markdown.replaceAll(/^<!--.*-->\n/gm, '')
  void marked.walkTokens(marked.lexer(markdown), (token) => {
    if (token.type !== 'link') return
    const to = resolve(token.href)
    if (to === null) text = text.replaceAll(token.raw, token.text)
    else if (to.startsWith(PUBLISHED))
      text = text.replaceAll(`](${token.href})`, `](${to.slice(PUBLISHED.length).replace(/#|$/, '.md$&')})`)
  })
  return text
}

/** The anchor of a heading on GitHub. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')
}

/** @param section the heading above the text, which names its tables */
function markedWith(resolve: Resolve, section = ''): Marked {
  return new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        section = plain(text)
        const id = anchorOf(text)
        return `<h${depth} id="${id}"><a href="#${id}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens)
        const to = resolve(href)
        return to === null ? words : `<a href="${escaped(to)}">${words}</a>`
      },
      code({ text }) {
        return `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`
      },
      table({ header, rows }) {
        const cell = (one: Tokens.TableCell, name: string, attributes = '') =>
          `<${name}${attributes}${one.align === 'right' ? ' class="n"' : ''}>${this.parser.parseInline(one.tokens)}</${name}>`
        const head = header.map((one) => (one.text === '' ? '<td></td>' : cell(one, 'th', ' scope="col"')))
        const body = rows.map((row) => `<tr>${row.map((one) => cell(one, 'td')).join('')}</tr>\n`)
        const table = `<table><thead><tr>${head.join('')}</tr></thead><tbody>\n${body.join('')}</tbody></table>`
        return `${scrolling(section, raw(table))}\n`
      },
      html({ text }) {
        if (COMMENT.test(text)) return ''
        return ANCHOR.test(text) ? text : escaped(text)
      },
    },
  })
}

function isContents(token: Token): boolean {
  if (token.type !== 'paragraph' || !token.tokens) return false
  const links = token.tokens.filter(({ type }) => type === 'link')
  const others = token.tokens.filter(({ type }) => type !== 'link')
  return (
    links.length > 2 &&
    links.every((link) => link.type === 'link' && IN_PAGE.test(link.href)) &&
    others.every(({ raw }) => raw.trim() === '·')
  )
}

function plain(text: string): string {
  return text.replaceAll('`', '')
}

/** A text as HTML, also for an attribute. */
function escaped(text: string): string {
  return String(html`${text}`)
}
