import type * as z from 'zod'
import type { FoundAgent } from '../agents/store.ts'
import { each } from '../db/enums.ts'
import { recordOf, rowsOf } from '../trust/basis.ts'
import { SCORES } from '../trust/score.ts'
import { shownScore } from '../trust/shown.ts'
import { standingOf } from '../trust/standing.ts'
import { nameWithheld } from '../wire/withheld.ts'
import type { fullVerification, verification } from './responses.ts'
import type { VerifiedAgent } from './store.ts'

/** The quick verification of an agent. */
export function toVerification(found: VerifiedAgent, now: Date): z.infer<typeof verification> {
  return nameWithheld(quick(found, recordOf(found.basis), now))
}

/** The full verification of an agent; scores are null if there is too little activity. */
export function toFullVerification(found: FoundAgent, now: Date): z.infer<typeof fullVerification> {
  const record = recordOf(found.basis)
  const { score } = record
  return nameWithheld({
    ...quick(found, record, now),
    ...each(SCORES, (name) => score?.[name] ?? null),
    events_considered:
      score?.events_considered ?? rowsOf(found.basis).reduce((sum, row) => sum + row.events, 0),
    tasks_completed: found.tasks_completed,
    tasks_failed: found.tasks_failed,
    incident_count: found.incident_count,
    open_incident_count: found.open_incident_count,
    registered_at: found.registered_at,
    name_changed_at: found.name_changed_at,
    last_active_at: found.last_active_at,
    platform_name: found.platform_name,
    platform_slug: found.platform_slug,
    platform_state: found.platform_state,
  })
}

function quick(found: VerifiedAgent, { score, standing }: ReturnType<typeof recordOf>, now: Date) {
  return {
    reg: found.reg,
    registered: true as const,
    active: found.status === 'active',
    name: found.name,
    class: found.class,
    ownership_status: found.ownership_status,
    domain: found.domain,
    operator_id: found.operator_id,
    operator_name: found.operator_name,
    operator_name_verified: found.operator_name_verified,
    operator_kyc_status: found.operator_kyc_status,
    operator_status: found.operator_status,
    withheld: found.withheld,
    standing: standingOf({ ...found, open_critical: found.basis.open_critical, record: standing }),
    ...shownScore(found.basis, score),
    checked_at: now.toISOString(),
  }
}
