import { z } from '@hono/zod-openapi'
import { recordId, timestamp } from '../wire/fields.ts'

const kycStatus = z.enum(['unverified', 'pending', 'verified', 'failed', 'expired'])

/** The answer to POST /operators/me/kyc/start. */
export const kycStarted = z
  .object({
    kyc_status: kycStatus.openapi({
      description: 'Stays `verified` while a verified operator renews',
      example: 'pending',
    }),
    verification_url: z.url().nullable().openapi({
      description: "The provider's page for this person; null while it looks at what was handed in",
      example: 'https://verify.stripe.com/start/test_YWNjdF8xSmx',
    }),
  })
  .openapi('KycStarted')

const kycCheck = z
  .object({
    id: recordId,
    status: z.enum(['pending', 'verified', 'failed', 'canceled']).openapi({ example: 'verified' }),
    provider: z.string().openapi({ example: 'stripe' }),
    created_at: timestamp,
    completed_at: timestamp.nullable(),
    reason: z.string().nullable().openapi({ example: null }),
  })
  .openapi('KycCheck')

/** The answer to GET /operators/me/kyc. */
export const kycState = z
  .object({
    kyc_status: kycStatus.openapi({ example: 'verified' }),
    kyc_verified_at: timestamp.nullable(),
    kyc_expires_at: timestamp.nullable(),
    history: z.array(kycCheck).openapi({ description: 'The newest 100 checks, newest first' }),
  })
  .openapi('KycState')
