import { z } from '@hono/zod-openapi'
import { timestamp } from '../http/fields.ts'

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
