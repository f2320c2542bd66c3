import type { z } from '@hono/zod-openapi'
import type { FoundAgent } from '../agents/store.ts'
import { toDecimal } from '../lib/wire.ts'
import { scoreAgent, type TrustScore } from '../trust/score.ts'
import type { fullVerification, verification } from './schema.ts'

/** The quick verification of an agent at a time. */
export function toVerification(found: FoundAgent, now: Date): z.infer<typeof verification> {
  return quick(found, scoreAgent(found.days, found.today), now)
}

/** The full verification: the dimensions are null while there is too little activity for a score. */
export function toFullVerification(found: FoundAgent, now: Date): z.infer<typeof fullVerification> {
  const score = scoreAgent(found.days, found.today)
  const { agent, stats, platform_name, platform_slug, days } = found
  return {
    ...quick(found, score, now),
    overall: score?.overall ?? null,
    reliability: score?.reliability ?? null,
    accuracy: score?.accuracy ?? null,
    safety: score?.safety ?? null,
    speed: score?.speed ?? null,
    consistency: score?.consistency ?? null,
    events_considered: score?.events_considered ?? days.reduce((sum, day) => sum + day.events, 0),
    tasks_completed: stats.tasks_completed,
    tasks_failed: stats.tasks_failed,
    incident_count: stats.incident_count,
    open_incident_count: stats.open_incident_count,
    registered_at: agent.registered_at,
    last_active_at: stats.last_active_at,
    platform_name,
    platform_slug,
  }
}

function quick(found: FoundAgent, score: TrustScore | null, now: Date): z.infer<typeof verification> {
  const { agent, operator_name, operator_kyc_status, operator_status } = found
  return {
    reg: agent.reg,
    registered: true,
    active: agent.status === 'active',
    name: agent.name,
    class: agent.class,
    ownership_status: agent.ownership_status,
    operator_name,
    operator_kyc_status,
    ...(operator_status === 'suspended' && { operator_status }),
    trust_score_overall: score && toDecimal(score.overall),
    checked_at: now.toISOString(),
  }
}
