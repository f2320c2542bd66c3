import { z } from '@hono/zod-openapi'
import { count, regNumber, timestamp } from '../wire/fields.ts'

const quick = {
  reg: regNumber,
  registered: z.literal(true),
  active: z.boolean().openapi({ example: true }),
  name: z.string().openapi({ example: 'Invoice Reader' }),
  class: z.enum(['A', 'S', 'H']),
  ownership_status: z.enum(['unverified', 'verified']).openapi({ example: 'verified' }),
  operator_name: z.string().openapi({ example: 'Alice' }),
  operator_kyc_status: z.string().openapi({ example: 'verified' }),
  operator_status: z
    .literal('suspended')
    .optional()
    .openapi({ description: 'Only there while the operator is suspended' }),
  trust_score_overall: z.string().nullable().openapi({ example: '94.8' }),
  checked_at: timestamp,
}

/** Quick verification of an agent. */
export const verification = z.object(quick).openapi('Verification')

const points = (example: number) => z.number().nullable().openapi({ example })

/** Full verification: the quick one with the numbers behind it. */
export const fullVerification = z
  .object({
    ...quick,
    overall: points(94.8),
    reliability: points(96.2),
    accuracy: points(95),
    safety: points(100),
    speed: points(84),
    consistency: points(93.1),
    events_considered: count(250),
    tasks_completed: count(245),
    tasks_failed: count(5),
    incident_count: count(0),
    open_incident_count: count(0),
    registered_at: timestamp,
    last_active_at: timestamp.nullable(),
    platform_name: z.string().nullable().openapi({ example: 'Acme Market' }),
    platform_slug: z.string().nullable().openapi({ example: 'acme-market' }),
  })
  .openapi('FullVerification')
