import * as z from 'zod'
import type { Ctx } from '../http/context.ts'
import { rule } from './rule.ts'

const PER_PAGE_DEFAULT = 20
const PER_PAGE_MAX = 50
const PAGE_MAX = 1_000_000_000
const LINK_MAX = 4_096 // many clients and proxies reject responses with more than about 8 KB of headers

/** How many of the newest events of an agent are public. */
export const PUBLIC_EVENTS = 50

/** Searches and filtered lists are counted and paged up to this many items; a cursor goes further. */
export const LIST_DEPTH = 10_000

interface WholeNumber {
  min: number
  max: number
  fallback: number
  description: string
}

/** An integer query parameter from `min` to `max`. */
export function wholeNumber(name: string, rules: WholeNumber) {
  const { fallback } = rules
  return digits(rules)
    .default(fallback)
    .register(z.globalRegistry, { ...docsOf(name, rules), default: fallback })
}

function digits({ min, max }: WholeNumber) {
  return z
    .string({ error: 'must be given only once' })
    .regex(/^\d+$/, `must be an integer of at least ${min}`)
    .transform(Number)
    .check(
      rule((value: number) => value >= min, `at least ${min}`),
      rule((value: number) => value <= max, `at most ${max}`),
    )
}

function docsOf(name: string, { min, max, fallback, description }: WholeNumber): z.GlobalMeta {
  const param = { name, in: 'query' } as const
  return { param, type: 'integer', minimum: min, maximum: max, description, example: fallback }
}

const PAGE = {
  page: { min: 1, max: PAGE_MAX, fallback: 1, description: 'Page number, starting at 1' },
  per_page: {
    min: 1,
    max: PER_PAGE_MAX,
    fallback: PER_PAGE_DEFAULT,
    description: 'Number of items per page',
  },
} as const satisfies Record<string, WholeNumber>

/** The query parameters of every paginated route. */
export const pageQuery = {
  page: wholeNumber('page', PAGE.page),
  per_page: wholeNumber('per_page', PAGE.per_page),
}

/** The query of a list that is returned completely, unless a page of it is requested. */
export const pagesIfRequested = z.object({ page: optional('page'), per_page: optional('per_page') })

function optional(name: keyof typeof PAGE) {
  return digits(PAGE[name]).optional().register(z.globalRegistry, docsOf(name, PAGE[name]))
}

/** The page that a query requests; null for the whole list. */
export function requestedPage({ page, per_page }: z.infer<typeof pagesIfRequested>): Page | null {
  if (page === undefined && per_page === undefined) return null
  return { page: page ?? PAGE.page.fallback, per_page: per_page ?? PAGE.per_page.fallback }
}

/** The query of a list that has only page parameters. */
export const pagesOnly = z.object(pageQuery)

/** The query of a list that is returned completely. */
export const noParameters = z.object({})

export interface Page {
  page: number
  per_page: number
}

/** All items of a list, as one page. */
export const WHOLE: Page = { page: 1, per_page: 2 ** 31 - 1 }

/** The SQL offset of a page. */
export function offsetOf({ page, per_page }: Page): number {
  return (page - 1) * per_page
}

/** The SQL limit and offset of a page of a list that ends at `LIST_DEPTH`; pages beyond it are empty. */
export function limitsOf(page: Page): { limit: number; offset: number } {
  const offset = Math.min(offsetOf(page), LIST_DEPTH)
  return { limit: Math.min(page.per_page, LIST_DEPTH - offset), offset }
}

/**
 * The pagination part of a response. Sets the header `Link` to the first, previous, next, and last page.
 *
 * @param total number of items on all pages
 *
 * Source: RFC 8288.
 */
export function paginate(c: Ctx, { page, per_page }: Page, total: number) {
  const total_pages = Math.ceil(total / per_page)
  const links: [string, number][] = []
  if (page > 1) links.push(['first', 1])
  if (page > 1 && page - 1 <= total_pages) links.push(['prev', page - 1])
  if (page < total_pages) links.push(['next', page + 1], ['last', total_pages])
  setLinks(
    c,
    links.map(([rel, to]) => link(c, rel, 'page', String(to))),
  )
  return { page, per_page, total, total_pages }
}

/** The pagination part of a response that is paged by cursor. Sets the header `Link` to the next page. */
export function paginateByCursor(c: Ctx, { page, per_page }: Page, total: number, next: string | null) {
  if (next !== null) setLinks(c, [link(c, 'next', 'cursor', next)])
  return { page, per_page, total, total_pages: Math.ceil(total / per_page) }
}

/** Sets the header `Link`, unless the URL of the request is so long that the header would be too large. */
function setLinks(c: Ctx, links: readonly string[]): void {
  const value = links.join(', ')
  if (value !== '' && value.length <= LINK_MAX) c.header('Link', value)
}

function link(c: Ctx, rel: string, name: 'page' | 'cursor', value: string): string {
  const url = new URL(c.req.url)
  url.searchParams.set(name, value)
  return `<${c.get('env').BASE_URL}${url.pathname}${url.search}>; rel="${rel}"`
}
