import { z } from '@hono/zod-openapi'
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

const stored = z.object({ index: z.number().int(), status: z.literal(201), event: activityEvent })

const refused = z.object({
  index: z.number().int(),
  status: z.number().int().min(400),
  error: z.object({ code: z.string(), message: z.string(), status: z.number().int() }),
})

/** The answer to a batch: results in the order of the request. */
export const batchAnswer = z
  .object({
    data: z.array(z.union([stored, refused])),
    accepted: z.number().int(),
    rejected: z.number().int(),
  })
  .openapi('BatchAnswer')

export type BatchAnswer = z.infer<typeof batchAnswer>
