import { counted, type Html, html } from './html.ts'

export interface Section {
  /** With its anchor, unless it is the beginning of a page. */
  path: string
  /** The title of its page. */
  page: string
  /** Empty at the beginning of a page. */
  heading: string
  text: string
}

/** Where the page of the search has its results. */
export const RESULTS_MARKER = '<!-- results -->'

const TERMS_MAX = 8
const SHOWN_MAX = 20
const BEFORE_CHARACTERS = 60
const EXCERPT_CHARACTERS = 200
const PAGE_WEIGHT = 3
const HEADING_WEIGHT = 5
const COUNTED_MAX = 5
const SPECIAL = /[\\^$.*+?()[\]{}|]/g

/** The sections that contain each word of a query, best first; at most 20. */
export function findSections(sections: readonly Section[], query: string): Section[] {
  const terms = termsOf(query)
  if (terms.length === 0) return []
  const rated = sections.map((section) => ({ section, rating: rate(section, terms) }))
  return rated
    .filter(({ rating }) => rating > 0)
    .sort((a, b) => b.rating - a.rating)
    .slice(0, SHOWN_MAX)
    .map(({ section }) => section)
}

/** What was found, with the words of the query marked. */
export function resultsOf(found: readonly Section[], query: string): Html {
  const terms = termsOf(query)
  if (terms.length === 0) return html`<p>Enter a word, for example an error code, a field, or a command.</p>`
  if (found.length === 0)
    return html`<p role="status">Nothing found for “${query}”. Try fewer words, or choose a page of the list.</p>`
  return html`<p role="status">${found.length === SHOWN_MAX ? 'The best ' : ''}${counted(found.length, 'section')} with “${query}”</p>
<ol class="list">${found.map(
    ({ path, page, heading, text }) =>
      html`<li><a href="${path}">${heading || page}</a>${heading && html` <small class="quiet">${page}</small>`}<p>${marked(excerptOf(text, terms), terms)}</p></li>`,
  )}</ol>`
}

function termsOf(query: string): string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, TERMS_MAX)
}

/** 0 if a word is missing. A word weighs most in a heading, the more the shorter the heading is. */
function rate({ page, heading, text }: Section, terms: readonly string[]): number {
  const [title, above, body] = [page, heading || page, text].map((part) => part.toLowerCase()) as [
    string,
    string,
    string,
  ]
  const ratings = terms.map(
    (term) =>
      (title.includes(term) ? PAGE_WEIGHT : 0) +
      (above.includes(term) ? HEADING_WEIGHT * (1 + term.length / above.length) : 0) +
      Math.min(body.split(term).length - 1, COUNTED_MAX),
  )
  return ratings.includes(0) ? 0 : ratings.reduce((sum, rating) => sum + rating)
}

function excerptOf(text: string, terms: readonly string[]): string {
  const places = terms.map((term) => text.toLowerCase().indexOf(term)).filter((place) => place >= 0)
  const from = Math.max(0, Math.min(...places, text.length) - BEFORE_CHARACTERS)
  const start = from === 0 || places.length === 0 ? 0 : text.indexOf(' ', from) + 1
  const end =
    text.length - start <= EXCERPT_CHARACTERS
      ? text.length
      : text.lastIndexOf(' ', start + EXCERPT_CHARACTERS)
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`
}

function marked(text: string, terms: readonly string[]): Html {
  const patterns = terms.map((term) => term.replaceAll(SPECIAL, String.raw`\$&`))
  const words = RegExp(`(${patterns.join('|')})`, 'gi')
  return html`${text.split(words).map((part, n) => (n % 2 === 1 ? html`<mark>${part}</mark>` : part))}`
}
