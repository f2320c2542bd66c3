import { z } from '@hono/zod-openapi'
import { count } from '../wire/fields.ts'
import { activityEvent } from './schema.ts'

const EVENTS_MAX = 1_000

/** Body of POST /activity/report/batch; its elements are judged one by one, after the envelope. */
export const batchInput = z
  .object({
    events: z
      .array(z.unknown(), { error: 'must be an array of events' })
      .min(1, 'at least 1 event')
      .max(EVENTS_MAX, `at most ${EVENTS_MAX} events`)
      .openapi({ type: 'array', items: { $ref: '#/components/schemas/ActivityInput' } }),
  })
  .openapi('BatchInput')

const stored = z.object({ index: count(0), status: z.literal(201), event: activityEvent })

const refused = z.object({
  index: count(0),
  status: z.number().int().min(400).openapi({ example: 404 }),
  error: z.object({
    code: z.string().openapi({ example: 'NOT_FOUND' }),
    message: z.string().openapi({ example: 'there is no agent REG-2026-0001-0042-U' }),
    status: count(404),
  }),
})

/** The answer to a batch: results in the order of the request. */
export const batchAnswer = z
  .object({
    data: z.array(z.union([stored, refused])),
    accepted: count(1),
    rejected: count(0),
  })
  .openapi('BatchAnswer')

export type BatchAnswer = z.infer<typeof batchAnswer>

const NOT_FOUND = { code: 'NOT_FOUND', message: 'there is no agent REG-2026-0001-0042-U', status: 404 }

/** A batch whose one event is not stored. */
export const PARTLY_STORED: BatchAnswer = {
  data: [{ index: 0, status: 404, error: NOT_FOUND }],
  accepted: 0,
  rejected: 1,
}
