import { z } from '@hono/zod-openapi'
import { textField, timestamp, webUrl } from '../http/fields.ts'

const NAME_MAX = 255

/** The operator as it sees itself. */
export const operator = z
  .object({
    id: z.uuid(),
    email: z.string(),
    name: z.string(),
    company_name: z.string().nullable(),
    company_url: z.string().nullable(),
    avatar_url: z.string().nullable(),
    role: z.string().openapi({ example: 'operator' }),
    status: z.enum(['active', 'suspended']),
    kyc_status: z.enum(['unverified', 'pending', 'verified', 'failed', 'expired']),
    kyc_verified_at: timestamp.nullable(),
    kyc_expires_at: timestamp.nullable(),
    tier: z.enum(['free', 'pro', 'business', 'enterprise']),
    agent_limit: z.number().int(),
    notification_prefs: z.object({
      trust_alerts: z.boolean(),
      incident_alerts: z.boolean(),
      weekly_digest: z.boolean(),
      kyc_reminders: z.boolean(),
    }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .openapi('Operator')

const preference = z.boolean({ error: 'must be true or false' }).optional()

/** Body of PATCH /operators/me. */
export const operatorChanges = z
  .object({
    name: textField(NAME_MAX).optional(),
    company_name: textField(NAME_MAX).nullable().optional(),
    company_url: webUrl().nullable().optional(),
    avatar_url: webUrl().nullable().optional(),
    notification_prefs: z
      .object(
        {
          trust_alerts: preference,
          incident_alerts: preference,
          weekly_digest: preference,
          kyc_reminders: preference,
        },
        { error: 'must be an object' },
      )
      .optional(),
  })
  .openapi('OperatorChanges')

/** The numbers of GET /operators/me/dashboard. */
export const dashboard = z
  .object({
    agent_count: z.number().int(),
    active_agent_count: z.number().int(),
    total_tasks: z.number().int(),
    tasks_completed: z.number().int(),
    tasks_failed: z.number().int(),
    success_rate: z.string().nullable().openapi({ example: '98.00' }),
    incident_count: z.number().int(),
    open_incident_count: z.number().int(),
    average_trust_score: z.number().nullable(),
    active_api_keys: z.number().int(),
  })
  .openapi('Dashboard')

export type OperatorChanges = z.infer<typeof operatorChanges>
