import type { Reporter, Source, Tier } from '../db/enums.ts'
import type { Actor } from '../http/context.ts'
import { incidentTexts, type OpenedIncident } from '../incidents/opened.ts'
import { lifecycleOf } from '../trust/lifecycle.ts'
import { eventDelta, responseMs, sumDeltas } from '../trust/rollup.ts'
import type { RejectedOutcome } from './rejection.ts'
import type { ActivityEvent } from './responses.ts'
import type { EventInput } from './schema.ts'

const encoder = new TextEncoder()

/** A valid event with its id and, if its type is `incident`, the incident that it opens. */
interface NewEvent {
  id: string
  input: EventInput
  incident: OpenedIncident | null
}

/** The elements of a report in order, null for those that were rejected; a single report has one. */
export interface Batch {
  /** The id of the first element, from which the others follow. */
  first_id: string
  events: readonly (NewEvent | null)[]
}

/** The outcome for an agent in a batch, which all of its events share. */
export type AgentFact = { reg: string } & (
  | {
      outcome: 'stored'
      agent_id: string
      source: Source
      /** The slug of the platform that reported; null for the operator. */
      platform: string | null
      /** As Postgres writes it. */
      created_at: string
      /** The number of the last of the events in the log of the agent. */
      last_seq: number
    }
  | { outcome: RejectedOutcome }
)

/** What became of the elements of a batch; it is kept for repeats. */
export interface BatchFacts {
  first_id: string
  /** The tier of the reporter, whose quotas applied. */
  tier: Tier
  /** The indexes of the elements that were not valid. */
  invalid: readonly number[]
  agents: readonly AgentFact[]
  /** Later redactions by event id. */
  redacted?: Record<string, ActivityEvent['redacted']>
}

/** The reporter of an actor's events: the platform if it uses a platform key, else the operator. */
export function reporterOf({ platform_id }: Actor): Reporter {
  return platform_id ? 'platform' : 'operator'
}

/** The parameter `p_agents` of append_events: for each agent its log entries and the sums of what they add. */
export function byAgent(events: readonly NewEvent[]) {
  return [...Map.groupBy(events, ({ input }) => input.reg)].map(([reg, own]) => {
    const inputs = own.map(({ input }) => input)
    const added = Object.entries(sumDeltas(inputs.map(eventDelta))).filter(([, amount]) => amount > 0)
    const opening = own.filter(({ incident }) => incident !== null)
    const criticals = opening.filter(({ input }) => input.severity === 'critical').length
    const lifecycle = inputs.some(startsOrStops) ? lifecycleOf(inputs) : null
    const response_ms = inputs.reduce((sum, input) => sum + responseMs(input), 0)
    return {
      reg,
      log: own.map(({ id, input }) => [id, input.event_type, input.severity, input.metadata]),
      bytes: inputs.reduce((sum, { metadata }) => sum + bytesOf(metadata), 0),
      added: Object.fromEntries(added),
      ...(response_ms > 0 && { response_ms }),
      ...(opening.length > 0 && { opened: opening.length, criticals }),
      ...(lifecycle && { lifecycle }),
    }
  })
}

function startsOrStops({ event_type }: { event_type: string }): boolean {
  return event_type === 'startup' || event_type === 'shutdown'
}

/** The size of metadata for the quota: bytes of its shortest JSON in UTF-8. */
function bytesOf(metadata: Record<string, unknown>): number {
  return encoder.encode(JSON.stringify(metadata)).byteLength
}

/** The incidents that events open, with the fields of their webhook events. */
export function incidentsOf(events: readonly NewEvent[]) {
  return events.flatMap(({ id, input, incident }) => {
    if (!incident) return []
    const { event_id, type } = incident.event
    const { reg, severity } = input
    return [{ id: incident.id, reg, event: id, severity, ...incidentTexts(input), event_id, type }]
  })
}
