import { z } from '@hono/zod-openapi'
import { timestamp } from '../http/fields.ts'

const quick = {
  reg: z.string().openapi({ example: 'REG-2026-0001-0042-U' }),
  registered: z.literal(true),
  active: z.boolean(),
  name: z.string(),
  class: z.enum(['A', 'S', 'H']),
  ownership_status: z.enum(['unverified', 'verified']),
  operator_name: z.string(),
  operator_kyc_status: z.string(),
  operator_status: z
    .literal('suspended')
    .optional()
    .openapi({ description: 'Only there while the operator is suspended' }),
  trust_score_overall: z.string().nullable().openapi({ example: '94.8' }),
  checked_at: timestamp,
}

/** Quick verification of an agent. */
export const verification = z.object(quick).openapi('Verification')

const points = () => z.number().nullable()

/** Full verification: the quick one with the numbers behind it. */
export const fullVerification = z
  .object({
    ...quick,
    overall: points(),
    reliability: points(),
    accuracy: points(),
    safety: points(),
    speed: points(),
    consistency: points(),
    events_considered: z.number().int(),
    tasks_completed: z.number().int(),
    tasks_failed: z.number().int(),
    incident_count: z.number().int(),
    open_incident_count: z.number().int(),
    registered_at: timestamp,
    last_active_at: timestamp.nullable(),
    platform_name: z.string().nullable(),
    platform_slug: z.string().nullable(),
  })
  .openapi('FullVerification')
