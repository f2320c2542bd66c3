import { z } from '@hono/zod-openapi'
import { count, NAME_MAX, recordId, textField, timestamp, webUrl } from '../wire/fields.ts'

const PREFS_EXAMPLE = { trust_alerts: true, incident_alerts: true, weekly_digest: false, kyc_reminders: true }

/** The operator as it sees itself. */
export const operator = z
  .object({
    id: recordId,
    email: z.string().openapi({ example: 'alice@example.com' }),
    name: z.string().openapi({ example: 'Alice' }),
    company_name: z.string().nullable().openapi({ example: 'Acme Ltd' }),
    company_url: z.string().nullable().openapi({ example: 'https://acme.example' }),
    avatar_url: z.string().nullable().openapi({ example: null }),
    role: z.string().openapi({ example: 'operator' }),
    status: z.enum(['active', 'suspended']),
    kyc_status: z
      .enum(['unverified', 'pending', 'verified', 'failed', 'expired'])
      .openapi({ example: 'verified' }),
    kyc_verified_at: timestamp.nullable(),
    kyc_expires_at: timestamp.nullable().openapi({ example: '2027-11-21T10:00:00.000Z' }),
    tier: z.enum(['free', 'pro', 'business', 'enterprise']),
    agent_limit: count(3, 'How many agents may be active at once; set by the tier'),
    notification_prefs: z
      .object({
        trust_alerts: z.boolean(),
        incident_alerts: z.boolean(),
        weekly_digest: z.boolean(),
        kyc_reminders: z.boolean(),
      })
      .openapi({ example: PREFS_EXAMPLE }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .openapi('Operator')

const preference = z.boolean({ error: 'must be true or false' }).optional()

/** Body of PATCH /operators/me. */
export const operatorChanges = z
  .object({
    name: textField(NAME_MAX).optional().openapi({ example: 'Alice' }),
    company_name: textField(NAME_MAX).nullable().optional().openapi({ example: 'Acme Ltd' }),
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
      .optional()
      .openapi({ description: 'Switches that are not given stay', example: { weekly_digest: false } }),
  })
  .openapi('OperatorChanges', { description: 'At least one field' })

/** The numbers of GET /operators/me/dashboard. */
export const dashboard = z
  .object({
    agent_count: count(3),
    active_agent_count: count(2),
    total_tasks: count(500),
    tasks_completed: count(490),
    tasks_failed: count(10),
    success_rate: z.string().nullable().openapi({ example: '98.00' }),
    incident_count: count(1),
    open_incident_count: count(0),
    average_trust_score: z.number().nullable().openapi({ example: 91.3 }),
    active_api_keys: count(2),
  })
  .openapi('Dashboard')

export type Dashboard = z.infer<typeof dashboard>
export type OperatorChanges = z.infer<typeof operatorChanges>
