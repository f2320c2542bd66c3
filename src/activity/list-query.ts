import * as z from 'zod'
import { EVENT_TYPE_MAX, queryParam } from '../wire/fields.ts'
import { period } from '../wire/moment.ts'
import { pageQuery } from '../wire/page.ts'
import { fromCursor } from './cursor.ts'

const CURSOR_MAX = 64

/** Query of GET /agents/{reg}/activity. */
export const activityQuery = z.object({
  type: queryParam('type', EVENT_TYPE_MAX, {
    description: 'Only events of this type',
    example: 'task_completed',
  }).optional(),
  ...period('Events'),
  cursor: z
    .string({ error: 'must be given once' })
    .max(CURSOR_MAX, 'is not one of ours')
    .refine((text) => text === '' || fromCursor(text) !== null, 'is not one of ours')
    .optional()
    .meta({
      param: { name: 'cursor', in: 'query' },
      description: 'Empty to start; then next_cursor of the answer before. For the owner only.',
      example: '',
    }),
  ...pageQuery,
})

export type ActivityQuery = z.infer<typeof activityQuery>
