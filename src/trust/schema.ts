import { z } from '@hono/zod-openapi'
import { count, regNumber, timestamp } from '../http/fields.ts'

const points = (example: number, description?: string) =>
  z
    .number()
    .min(0)
    .max(100)
    .multipleOf(0.1)
    .openapi({ example, ...(description && { description }) })

const scores = {
  overall: points(94.8, 'The weighted sum of the five'),
  reliability: points(96.2, 'Tasks that were completed, and uptime'),
  accuracy: points(95, 'How right the outputs were'),
  safety: points(100, 'How few and how mild the incidents were'),
  speed: points(84, 'Response times'),
  consistency: points(93.1, 'How even the performance is over time'),
  events_considered: count(250, 'Events in the window'),
}

/** A trust score as `GET /agents/{reg}/trust-score` answers it. */
export const trustScore = z
  .object({
    reg: regNumber,
    ...scores,
    computation_window_days: count(90),
    algorithm_version: z.string().openapi({ example: '1.0' }),
    computed_at: timestamp,
  })
  .openapi('TrustScore')

/** A score of the history: the final one of its UTC day, or the newest of today. */
export const pastScore = z
  .object({
    ...scores,
    computed_at: timestamp,
  })
  .openapi('PastTrustScore')

/** The answer while an agent has too little activity for a score. */
export const insufficientData = z
  .object({
    reg: regNumber,
    status: z.literal('insufficient_data'),
    message: z.string().openapi({ example: 'a score needs 10 tasks in 90 days: 4 more' }),
  })
  .openapi('InsufficientData')
