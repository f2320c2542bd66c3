import * as z from 'zod'
import { describeRoutes, json } from '../api/responses.ts'
import { KYC_CHECK_STATUSES, KYC_STATUSES } from '../db/enums.ts'
import { recordId, timeOrNull, timestamp } from '../wire/responses.ts'

const kycStatus = z.enum(KYC_STATUSES)

export const kycStarted = z
  .object({
    kyc_status: kycStatus.meta({
      description:
        'KYC status of the operator; remains `verified` while a verified operator repeats the check',
      example: 'pending',
    }),
    verification_url: z.url().nullable().meta({
      description:
        'URL of the page on which the provider performs the check; null while the provider reviews the submission',
      example: 'https://verify.stripe.com/start/test_YWNjdF8xSmx',
    }),
  })
  .meta({ id: 'KycStarted', description: 'Started identity check' })

const kycCheck = z
  .object({
    id: recordId,
    status: z.enum(KYC_CHECK_STATUSES).meta({ description: 'Status of the check', example: 'verified' }),
    provider: z.string().meta({ description: 'Provider of the check', example: 'stripe' }),
    created_at: timestamp.meta({ description: 'Time at which the check was started' }),
    completed_at: timeOrNull('Time at which the check ended; null while it is pending'),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Why the check was not passed; null otherwise', example: null }),
  })
  .meta({ id: 'KycCheck', description: 'Identity check of an operator' })

const kycState = z
  .object({
    kyc_status: kycStatus.meta({ description: 'KYC status of the operator', example: 'verified' }),
    kyc_verified_at: timeOrNull('Time of the last passed check; null if none'),
    kyc_expires_at: timeOrNull('Time at which the verification expires; null if none'),
    history: z.array(kycCheck).meta({ description: 'The newest 100 checks, newest first' }),
  })
  .meta({ id: 'KycState', description: 'KYC status and history of an operator' })

export const responses = describeRoutes('KYC', {
  getKyc: {
    summary: "Get the operator's KYC status and identity checks",
    description: 'A passed check is valid for 365 days. The registry does not store the identity document.',
    responses: { 200: json(kycState, 'Status and history') },
  },
  startKyc: {
    summary: 'Start an identity check, or get the URL of the pending one',
    description:
      'Only one check can be pending, and further calls return it. If it is not completed within 24 hours, it is canceled, and the next call starts a new one. A verified operator can start a new check from 30 days before the verification expires; before that, the endpoint returns 409 `CONFLICT`.',
    responses: {
      200: json(kycStarted, 'The check, with the URL of the page on which the provider performs it'),
    },
    errors: ['CONFLICT'],
  },
})
