import * as z from 'zod'
import { AGENT_CLASSES, AGENT_STATUSES, OPERATOR_STATUSES, OWNERSHIP_STATUSES } from '../db/enums.ts'
import { DOMAIN_MAX, isDomainName, toHostname } from '../lib/host.ts'
import { SLUG_MAX } from '../lib/slug.ts'
import { CLASSES } from '../wire/agent-fields.ts'
import {
  DOMAIN_EXAMPLE,
  ID_EXAMPLE,
  queryParam,
  SPECIALIZATION_MAX,
  searchParam,
  wordParam,
} from '../wire/fields.ts'
import { LIST_DEPTH, pageQuery } from '../wire/page.ts'
import { rule } from '../wire/rule.ts'

const QUERY_MAX = 200
const MAX_SCORE = 100

const param = (name: string) => ({ param: { name, in: 'query' as const } })

/** Query of GET /agents/search. */
export const searchQuery = z
  .object({
    q: searchParam('q', QUERY_MAX, {
      description:
        'Words to find in the name, specializations, description, or agent number. Supports "quoted phrases", -excluded words, and `or`. Words joined by a hyphen are a phrase, in which the hyphen counts as a space. The last word also matches as a prefix.',
      example: 'invoice',
    }).optional(),
    class: wordParam('class', AGENT_CLASSES, 'must be A, S, or H', {
      description: `Only agents of this class. ${CLASSES}`,
    }),
    operator: z
      .uuid({ error: 'must be the UUID of an operator, and given only once' })
      .optional()
      .register(z.globalRegistry, {
        ...param('operator'),
        description: 'Only agents of this operator, by `operator_id`',
        example: ID_EXAMPLE,
      }),
    operator_status: wordParam('operator_status', OPERATOR_STATUSES, 'must be active or suspended', {
      description:
        'Only agents whose operator has this status; `active`, if omitted. The texts of agents of suspended operators are withheld, so `q` finds them only by their number',
    }),
    domain: queryParam('domain', DOMAIN_MAX, {
      description:
        'Only agents whose verified domain is exactly this one; non-ASCII letters are converted to punycode',
      example: DOMAIN_EXAMPLE,
    })
      .transform((text, context) => {
        const domain = toHostname(text)
        if (domain !== null && isDomainName(domain)) return domain
        context.addIssue({
          code: 'custom',
          message: 'must be a domain name, without scheme, port, or path',
        })
        return z.NEVER
      })
      .optional(),
    platform: queryParam('platform', SLUG_MAX, {
      description: 'Only agents on the platform with this slug',
      example: 'acme-market',
    }).optional(),
    status: wordParam('status', AGENT_STATUSES, 'must be active or deactivated', {
      description: 'Only agents with this status; all, if omitted',
    }),
    specialization: searchParam('specialization', SPECIALIZATION_MAX, {
      description: 'Only agents with exactly this specialization',
      example: 'invoices',
    }).optional(),
    ownership_status: wordParam('ownership_status', OWNERSHIP_STATUSES, 'must be unverified or verified', {
      description: 'Only agents with this ownership status; all, if omitted',
    }),
    min_score: z
      .string({ error: 'must be given only once' })
      .regex(/^\d{1,3}(\.\d+)?$/, `must be a number from 0 to ${MAX_SCORE}`)
      .transform(Number)
      .check(rule((score) => score <= MAX_SCORE, `at most ${MAX_SCORE}`))
      .optional()
      .register(z.globalRegistry, {
        ...param('min_score'),
        type: 'number',
        minimum: 0,
        maximum: MAX_SCORE,
        description: 'Only agents with at least this overall trust score',
        example: 80,
      }),
    ...pageQuery,
  })
  .refine(({ page, per_page }) => page * per_page <= LIST_DEPTH, {
    path: ['page'],
    error: `only the first ${LIST_DEPTH} results are listed; narrow the search`,
    when: ({ issues }) => issues.length === 0,
  })

export type SearchQuery = z.infer<typeof searchQuery>

/**
 * Whether the last word of a query also matches as a prefix: not if it is quoted or excluded.
 *
 * @param q the query as typed, in the syntax of web searches
 */
export function endsInPrefix(q: string): boolean {
  const quotes = q.split('"').length - 1
  return quotes % 2 === 0 && /(^|\s)[\p{L}\p{N}][^\s"]*$/u.test(q)
}

/**
 * The query in uppercase if it is an agent number or the beginning of one: `REG-2026-` finds all of 2026. Else null.
 *
 * @param q the query as typed
 */
export function numberPrefix(q: string): string | null {
  const text = q.trim().toUpperCase()
  return /^REG-\d{4}(-\d{0,4}|-\d{4}-\d{0,4}|-\d{4}-\d{4}-[0-9A-Z]?)?$/.test(text) ? text : null
}

const HYPHENS = /[-\u2010\u2011]+/g
const HYPHENATED = /(?<!\S)(-?)(\S*[\p{L}\p{N}][-\u2010\u2011]+[\p{L}\p{N}]\S*)/gu

/**
 * A query for websearch_to_tsquery. A hyphen counts as a space, as in the index, and words joined by one are a phrase.
 * Dashes that exclude nothing are removed: Postgres reads each as another "not" and fails at 32 of them.
 *
 * @param q the query as typed
 */
export function toWebSearch(q: string): string {
  const spaced = (text: string) => text.replace(HYPHENS, ' ')
  const toPhrases = (text: string) =>
    text.replace(HYPHENATED, (_, not: string, word: string) => `${not}"${spaced(word)}"`)
  const parts = q.split('"').map((part, n) => (n % 2 === 0 ? toPhrases(part) : spaced(part)))
  return parts.join('"').replace(/-+(?![\p{L}\p{N}"])/gu, ' ')
}

/** Whether a query has only words. A query with quotes or exclusions is exact and gets no fuzzy matches. */
export function isPlain(q: string): boolean {
  return !/"|(^|\s)-/.test(q)
}
