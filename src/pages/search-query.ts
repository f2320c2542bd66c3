import * as z from 'zod'
import { type SearchQuery, searchQuery } from '../agents/search-query.ts'
import { FOUND_STANDINGS, ORDERS } from '../agents/search-store.ts'
import type { Ctx } from '../http/context.ts'
import { DOMAIN_MAX, isDomainName, toHostname } from '../lib/host.ts'
import { LIST_DEPTH } from '../wire/page.ts'
import { count } from './html.ts'

/** The parameters of the search API that the search page supports; `status` can also be `all`. */
export const FILTERS = [
  ...['q', 'class', 'ownership_status', 'domain', 'specialization', 'min_score'],
  ...['operator', 'operator_status', 'status', 'platform'],
] as const

const WITH_TOP_LEVEL = /\.[a-z][a-z0-9-]+$/ // excludes version numbers such as 1.2

/** The parameters that only the page has. */
const pageOnly = z.object({
  under: z
    .string({ error: 'must be given only once' })
    .transform((text, context) => {
      const domain = readDomain(text)
      if (domain === null) context.addIssue({ code: 'custom', message: 'must be a domain name' })
      return domain ?? z.NEVER
    })
    .optional(),
  standing: z.enum(FOUND_STANDINGS, { error: `must be ${anyOf(FOUND_STANDINGS)}` }).optional(),
  order: z.enum(ORDERS, { error: `must be ${anyOf(ORDERS)}` }).optional(),
})

/** The names of the parameters that only the page has: the API has no address of such a search. */
export const PAGE_ONLY = Object.keys(pageOnly.shape)

const NAMES = [...FILTERS, 'page', ...PAGE_ONLY]

/** A search request: the given values, and the query to run or the problem of each field. */
export interface Requested {
  given: Readonly<Record<string, string>>
  query: (SearchQuery & z.infer<typeof pageOnly>) | null
  problems: Readonly<Record<string, string>>
}

/**
 * Reads the query string of the search page. Empty fields and unknown parameters are ignored: links can carry tracking
 * parameters. Only active agents are listed, unless another status or `all` is asked for.
 */
export function readQuery(c: Ctx): Requested {
  const texts = NAMES.flatMap((name) => {
    const values = (c.req.queries(name) ?? []).filter((value) => value.trim() !== '')
    return values.length > 0 ? [[name, values] as const] : []
  })
  const given = Object.fromEntries(texts.map(([name, values]) => [name, values[0] ?? '']))
  const asked = Object.fromEntries(
    texts.map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  )
  const { status = 'active', ...others } = asked
  const own = pageOnly.safeParse(asked)
  const read = searchQuery.safeParse(status === 'all' ? others : { ...others, status })
  const problems: Record<string, string> = {}
  for (const { path, message } of [...(read.error?.issues ?? []), ...(own.error?.issues ?? [])])
    problems[String(path[0])] ??= message
  const query = read.success && own.success ? { ...read.data, ...own.data } : null
  return { given, query, problems }
}

/** The URL of a page of the same search. */
export function addressOf(path: string, given: Requested['given'], page = 1): string {
  const { page: _, ...filters } = given
  const query = new URLSearchParams(page > 1 ? { ...filters, page: String(page) } : filters).toString()
  return query === '' ? path : `${path}?${query}`
}

/** The domain that a text consists of, or that of a URL; null if it is neither. */
export function readDomain(text: string): string | null {
  const typed = text.trim()
  if (typed.length > 4 * DOMAIN_MAX) return null
  const host = URL.parse(/^https?:\/\//i.test(typed) ? typed : '')?.hostname ?? toHostname(typed)
  return host && WITH_TOP_LEVEL.test(host) && isDomainName(host) ? host : null
}

/** Words as a choice: `a, b, or c`. */
function anyOf(words: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(words)
}

/** The number of agents found; searches count only up to `LIST_DEPTH`. */
export function foundCount(total: number): string {
  const shown = `${count(total)}${total === LIST_DEPTH ? ' or more' : ''}`
  return `${shown} agent${total === 1 ? '' : 's'}`
}
