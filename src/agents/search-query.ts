import { z } from '@hono/zod-openapi'
import { queryParam } from '../http/fields.ts'
import { pageQuery } from '../http/page.ts'

/** Results beyond this many are neither counted nor shown. */
export const SEARCH_DEPTH = 10_000

const QUERY_MAX = 200
const SLUG_MAX = 64
const SPECIALIZATION_MAX = 50
const MAX_SCORE = 100

const param = (name: string) => ({ param: { name, in: 'query' as const } })

/** Query of GET /agents/search. */
export const searchQuery = z
  .object({
    q: queryParam('q', QUERY_MAX).optional(),
    class: z.enum(['A', 'S', 'H'], { error: 'must be A, S or H' }).optional().openapi(param('class')),
    platform: queryParam('platform', SLUG_MAX).optional(),
    status: z
      .enum(['active', 'deactivated'], { error: 'must be active or deactivated' })
      .optional()
      .openapi(param('status')),
    specialization: queryParam('specialization', SPECIALIZATION_MAX).optional(),
    ownership_status: z
      .enum(['unverified', 'verified'], { error: 'must be unverified or verified' })
      .optional()
      .openapi(param('ownership_status')),
    min_score: z
      .string({ error: 'must be given once' })
      .regex(/^\d{1,3}(\.\d+)?$/, 'must be a number')
      .transform(Number)
      .refine((score) => score <= MAX_SCORE, `at most ${MAX_SCORE}`)
      .optional()
      .openapi({ ...param('min_score'), type: 'number', minimum: 0, maximum: MAX_SCORE }),
    ...pageQuery,
  })
  .refine(({ page, per_page }) => page * per_page <= SEARCH_DEPTH, {
    path: ['page'],
    error: `only the first ${SEARCH_DEPTH} results can be paged through; narrow the search`,
  })

export type SearchQuery = z.infer<typeof searchQuery>

/**
 * Whether the last word of a query may be the beginning of a word: not when it is quoted or excluded.
 *
 * @param q what the person has typed, in the syntax of web searches
 */
export function endsInPrefix(q: string): boolean {
  const quotes = q.split('"').length - 1
  return quotes % 2 === 0 && /(^|\s)[\p{L}\p{N}][^\s"]*$/u.test(q)
}
