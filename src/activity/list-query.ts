import * as z from 'zod'
import { cursorParam } from '../wire/cursor.ts'
import { EVENT_TYPE_MAX, queryParam } from '../wire/fields.ts'
import { period } from '../wire/moment.ts'
import { pageQuery } from '../wire/page.ts'
import { fromCursor } from './cursor.ts'

export const activityQuery = z.object({
  type: queryParam('type', EVENT_TYPE_MAX, {
    description: 'Only events of this type',
    example: 'task_completed',
  }).optional(),
  ...period('Events'),
  cursor: cursorParam(
    (cursor) => fromCursor(cursor) !== null,
    'Only for the operator or the platform of the agent.',
  ),
  ...pageQuery,
})

export type ActivityQuery = z.infer<typeof activityQuery>
