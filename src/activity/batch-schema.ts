import * as z from 'zod'

const EVENTS_MAX = 1_000

export const batchInput = z
  .object(
    {
      events: z
        .array(z.unknown(), { error: 'must be an array of events' })
        .min(1, 'at least 1 event')
        .max(EVENTS_MAX, `at most ${EVENTS_MAX} events`)
        .register(z.globalRegistry, {
          type: 'array',
          description: 'Events; each is validated separately',
          items: { $ref: '#/components/schemas/ActivityInput' },
        }),
    },
    { error: 'must be an object, {"events": […]}' },
  )
  .meta({ id: 'BatchInput', description: 'Batch of activity events' })
