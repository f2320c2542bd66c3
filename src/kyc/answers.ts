import * as z from 'zod'
import { type Answers, json } from '../api/answers.ts'
import { KYC_CHECK_STATUSES, KYC_STATUSES } from '../db/enums.ts'
import { recordId, timestamp } from '../wire/answers.ts'

const kycStatus = z.enum(KYC_STATUSES)

/** The answer to POST /operators/me/kyc/start. */
const kycStarted = z
  .object({
    kyc_status: kycStatus.meta({
      description: 'Stays `verified` while a verified operator renews',
      example: 'pending',
    }),
    verification_url: z.url().nullable().meta({
      description: "The provider's page for this person; null while it looks at what was handed in",
      example: 'https://verify.stripe.com/start/test_YWNjdF8xSmx',
    }),
  })
  .meta({ id: 'KycStarted' })

const kycCheck = z
  .object({
    id: recordId,
    status: z.enum(KYC_CHECK_STATUSES).meta({ example: 'verified' }),
    provider: z.string().meta({ example: 'stripe' }),
    created_at: timestamp,
    completed_at: timestamp.nullable(),
    reason: z.string().nullable().meta({ example: null }),
  })
  .meta({ id: 'KycCheck' })

/** The answer to GET /operators/me/kyc. */
const kycState = z
  .object({
    kyc_status: kycStatus.meta({ example: 'verified' }),
    kyc_verified_at: timestamp.nullable(),
    kyc_expires_at: timestamp.nullable(),
    history: z.array(kycCheck).meta({ description: 'The newest 100 checks, newest first' }),
  })
  .meta({ id: 'KycState' })

/** What the document says of these routes, and what they answer. */
export const answers = {
  getKyc: {
    tag: 'KYC',
    summary: 'How far the operator is verified, and its checks',
    responses: { 200: json(kycState, 'Status and history') },
  },
  startKyc: {
    tag: 'KYC',
    summary: 'Start a check, or get the address of the one under way',
    description:
      'One check at a time: within 24 hours the same one is answered, unless it has failed or was cancelled. A verified operator may start again 30 days before the end; until then it is 409 `CONFLICT`.',
    responses: { 200: json(kycStarted, 'Where the person goes') },
    errors: ['CONFLICT'],
  },
} satisfies Answers
