import { z } from '@hono/zod-openapi'
import { timestamp } from '../http/fields.ts'

const points = () => z.number().min(0).max(100).multipleOf(0.1)

/** A trust score as `GET /agents/{reg}/trust-score` answers it. */
export const trustScore = z
  .object({
    reg: z.string(),
    overall: points().openapi({ example: 97 }),
    reliability: points(),
    accuracy: points(),
    safety: points(),
    speed: points(),
    consistency: points(),
    events_considered: z.number().int(),
    computation_window_days: z.number().int().openapi({ example: 90 }),
    algorithm_version: z.string().openapi({ example: '1.0' }),
    computed_at: timestamp,
  })
  .openapi('TrustScore')

/** A score of the history: the final one of its UTC day, or the newest of today. */
export const pastScore = z
  .object({
    overall: points(),
    reliability: points(),
    accuracy: points(),
    safety: points(),
    speed: points(),
    consistency: points(),
    events_considered: z.number().int(),
    computed_at: timestamp,
  })
  .openapi('PastTrustScore')

/** The answer while an agent has too little activity for a score. */
export const insufficientData = z
  .object({ reg: z.string(), status: z.literal('insufficient_data'), message: z.string() })
  .openapi('InsufficientData')
