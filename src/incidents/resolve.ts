import { requireCaller } from '../credentials/authorize.ts'
import { ApiError } from '../errors.ts'
import type { Ctx } from '../http/context.ts'
import { newEvent } from '../webhooks/outbox/events.ts'
import { publishFirst } from '../webhooks/outbox/publish.ts'
import { foreignAgent } from '../wire/agent-number.ts'
import type { Incident } from './responses.ts'
import { resolveIncident } from './store.ts'

/**
 * Resolves an incident of the caller's agent and notifies its platform; an incident that is already resolved is left
 * unchanged.
 *
 * @throws ApiError NOT_FOUND; FORBIDDEN if the agent belongs to another operator
 */
export async function endIncident(c: Ctx, id: string, resolution: string): Promise<Incident> {
  const { operator_id } = requireCaller(c)
  const now = c.get('now')()
  const event = newEvent('incident.resolved', now)
  const result = await resolveIncident(c.get('db'), { id, operator_id, resolution, event, now })
  switch (result.outcome) {
    case 'unknown':
      throw incidentNotFound(id)
    case 'foreign':
      throw foreignAgent(result.reg)
    case 'resolved':
      publishFirst(c, result.deliveries)
      return result.incident
  }
}

/** The error for an unknown incident. */
export function incidentNotFound(id: string): ApiError {
  return new ApiError('NOT_FOUND', `there is no incident ${id}`)
}
