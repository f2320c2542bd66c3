import { requireCaller } from '../credentials/authorize.ts'
import { ApiError } from '../errors.ts'
import type { Ctx } from '../http/context.ts'
import { publishAfterResponse } from '../webhooks/outbox/publish.ts'
import { foreignAgent } from '../wire/agent-number.ts'
import type { Incident } from './responses.ts'
import { findIncident, resolveIncident } from './store.ts'

/**
 * Resolves an incident of the caller's agent and notifies its platform; an incident that is already resolved is left
 * unchanged.
 *
 * @throws ApiError NOT_FOUND; FORBIDDEN if the agent belongs to another operator
 */
export async function resolve(c: Ctx, id: string, resolution: string): Promise<Incident> {
  const { operator_id } = requireCaller(c)
  const now = c.get('now')()
  const db = c.get('db')
  const { incident, deliveries, refusal } = await resolveIncident(db, { id, operator_id, resolution }, now)
  if (!refusal) {
    publishAfterResponse(c, deliveries)
    return incident
  }
  const found = await findIncident(db, id)
  if (!found) throw incidentNotFound(id)
  if (found.operator_id !== operator_id) throw foreignAgent(found.incident.reg)
  return found.incident
}

/** The error for an unknown incident. */
export function incidentNotFound(id: string): ApiError {
  return new ApiError('NOT_FOUND', `there is no incident ${id}`)
}
