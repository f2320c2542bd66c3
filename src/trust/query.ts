import * as z from 'zod'
import { isStorableTime } from '../wire/fields.ts'

/** Whether the answer tells what stands behind the score. */
export const explainParam = z
  .string({ error: 'must be given only once' })
  .regex(/^(true|false)$/, 'must be true or false')
  .transform((text) => text === 'true')
  .default(false)
  .register(z.globalRegistry, {
    param: { name: 'explain', in: 'query' },
    type: 'boolean',
    default: false,
    description:
      'Adds what stands behind the score: weights, confidence, whose word the events are, the evidence of each dimension, risk factors',
    example: true,
  })

/** A UTC day; that it is not a future one, the route decides. */
export const dateParam = z
  .string({ error: 'must be given only once' })
  .refine((text) => z.iso.date().safeParse(text).success && isStorableTime(text), 'must be a day YYYY-MM-DD')
  .optional()
  .register(z.globalRegistry, {
    param: { name: 'date', in: 'query' },
    type: 'string',
    format: 'date',
    description: 'A past UTC day, or today',
    example: '2026-11-20',
  })
