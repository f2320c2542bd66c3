import type { z } from '@hono/zod-openapi'
import { toDecimal } from '../lib/wire.ts'
import { scoreAgent, type TrustScore } from '../trust/score.ts'
import type { fullVerification, verification } from './schema.ts'
import type { Verified } from './store.ts'

/** The quick verification of an agent at a time. */
export function toVerification(found: Verified, now: Date): z.infer<typeof verification> {
  return quick(found, scoreAgent(found.days, found.today), now)
}

/** The full verification: the dimensions are null while there is too little activity for a score. */
export function toFullVerification(found: Verified, now: Date): z.infer<typeof fullVerification> {
  const score = scoreAgent(found.days, found.today)
  const { record, registered_at, platform_name, platform_slug, days } = found
  return {
    ...quick(found, score, now),
    overall: score?.overall ?? null,
    reliability: score?.reliability ?? null,
    accuracy: score?.accuracy ?? null,
    safety: score?.safety ?? null,
    speed: score?.speed ?? null,
    consistency: score?.consistency ?? null,
    events_considered: score?.events_considered ?? days.reduce((sum, day) => sum + day.events, 0),
    ...record,
    registered_at,
    platform_name,
    platform_slug,
  }
}

function quick(found: Verified, score: TrustScore | null, now: Date): z.infer<typeof verification> {
  const { identity, operator_name, operator_kyc_status, operator_status, status } = found
  return {
    ...identity,
    registered: true,
    active: status === 'active',
    operator_name,
    operator_kyc_status,
    ...(operator_status === 'suspended' && { operator_status }),
    trust_score_overall: score && toDecimal(score.overall),
    checked_at: now.toISOString(),
  }
}
