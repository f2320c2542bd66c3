import { z } from '@hono/zod-openapi'
import { EVENT_TYPE_MAX, isStorableTime, queryParam } from '../http/fields.ts'
import { pageQuery } from '../http/page.ts'
import { fromCursor } from './cursor.ts'

const CURSOR_MAX = 64

/** Filtered lists are counted and paged to here; a cursor goes further. */
export const LIST_DEPTH = 10_000

const moment = (name: string, description: string) =>
  z
    .union([z.iso.datetime({ offset: true }), z.iso.date().transform((day) => `${day}T00:00:00Z`)], {
      error: 'must be a time or a day in ISO 8601',
    })
    .refine(isStorableTime, 'must be a time or a day in ISO 8601, in the years 1 to 9999')
    .transform((text) => new Date(text))
    .optional()
    .openapi({ param: { name, in: 'query' }, type: 'string', description, example: '2026-11-01' })

/** Query of GET /agents/{reg}/activity. */
export const activityQuery = z.object({
  type: queryParam('type', EVENT_TYPE_MAX, {
    description: 'Only events of this type',
    example: 'task_completed',
  }).optional(),
  from: moment('from', 'Events from this time on; a day means its beginning in UTC'),
  to: moment('to', 'Events before this time; a day means its beginning in UTC'),
  cursor: z
    .string({ error: 'must be given once' })
    .max(CURSOR_MAX, 'is not one of ours')
    .refine((text) => text === '' || fromCursor(text) !== null, 'is not one of ours')
    .optional()
    .openapi({
      param: { name: 'cursor', in: 'query' },
      description: 'Empty to start; then next_cursor of the answer before. For the owner only.',
      example: '',
    }),
  ...pageQuery,
})

export type ActivityQuery = z.infer<typeof activityQuery>
