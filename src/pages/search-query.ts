import { SEARCH_DEPTH, type SearchQuery, searchQuery } from '../agents/search-query.ts'
import type { Ctx } from '../http/context.ts'
import { DOMAIN_MAX, isDomainName, toHostname } from '../lib/host.ts'
import { count } from './html.ts'

/** What the search page takes, of what the API takes. */
export const FILTERS = [
  ...['q', 'class', 'ownership_status', 'domain', 'specialization', 'min_score'],
  ...['operator', 'platform'],
] as const

const WITH_TOP_LEVEL = /\.[a-z][a-z0-9-]+$/ // a version number is none

const NAMES = [...FILTERS, 'page']

/** What a visitor has asked for: as it was given, and as it is searched for; or what is wrong with each field. */
export interface Requested {
  given: Readonly<Record<string, string>>
  query: SearchQuery | null
  problems: Readonly<Record<string, string>>
}

/**
 * Reads the address of the search page. A field that was left empty asks for nothing, and so does what the page does not
 * know: links carry marks of other services.
 */
export function readQuery(c: Ctx): Requested {
  const texts = NAMES.flatMap((name) => {
    const values = (c.req.queries(name) ?? []).filter((value) => value.trim() !== '')
    return values.length > 0 ? [[name, values] as const] : []
  })
  const given = Object.fromEntries(texts.map(([name, values]) => [name, values[0] ?? '']))
  const read = searchQuery.safeParse(
    Object.fromEntries(texts.map(([name, values]) => [name, values.length === 1 ? values[0] : values])),
  )
  if (read.success) return { given, query: read.data, problems: {} }
  const problems: Record<string, string> = {}
  for (const { path, message } of read.error.issues) problems[String(path[0])] ??= message
  return { given, query: null, problems }
}

/** The address of a page of the same search, below `path`. */
export function addressOf(path: string, given: Requested['given'], page = 1): string {
  const { page: _, ...filters } = given
  const query = new URLSearchParams(page > 1 ? { ...filters, page: String(page) } : filters).toString()
  return query === '' ? path : `${path}?${query}`
}

/** The domain that a text is, alone or in the address of a web page; null when it is none. */
export function readDomain(text: string): string | null {
  const typed = text.trim()
  if (typed.length > 4 * DOMAIN_MAX) return null
  const host = URL.parse(/^https?:\/\//i.test(typed) ? typed : '')?.hostname ?? toHostname(typed)
  return host && WITH_TOP_LEVEL.test(host) && isDomainName(host) ? host : null
}

/** How many there are, as is said of a search that counts to its depth. */
export function foundCount(total: number): string {
  const said = `${count(total)}${total === SEARCH_DEPTH ? ' or more' : ''}`
  return `${said} agent${total === 1 ? '' : 's'}`
}
