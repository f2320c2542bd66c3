import type { Reporter } from '../db/enums.ts'
import type { Actor } from '../http/context.ts'
import { incidentTexts, type OpenedIncident } from '../incidents/opened.ts'
import { lifecycleOf } from '../trust/lifecycle.ts'
import { eventDelta, sumDeltas } from '../trust/rollup.ts'
import type { RefusedOutcome } from './refusal.ts'
import type { EventInput } from './schema.ts'

/** A valid event with its id, and what it opens when its type is `incident`. */
export interface NewEvent {
  id: string
  input: EventInput
  incident: OpenedIncident | null
}

/** What became of the events of an agent: all of them have one fate. */
export interface AgentFact {
  reg: string
  outcome: 'stored' | RefusedOutcome
  agent_id: string | null
  /** Null unless stored. */
  created_at: string | null
}

/** What the log says of who has reported: a platform by its own key, else the operator. */
export function reporterOf({ platform_id }: Actor): Reporter {
  return platform_id ? 'platform' : 'operator'
}

/** The parameter `p_agents` of append_events: of each agent its log entries, and what they add together. */
export function byAgent(events: readonly NewEvent[]) {
  return [...Map.groupBy(events, ({ input }) => input.reg)].map(([reg, own]) => {
    const inputs = own.map(({ input }) => input)
    const added = Object.entries(sumDeltas(inputs.map(eventDelta))).filter(([, amount]) => amount > 0)
    const opened = own.filter(({ incident }) => incident !== null).length
    const lifecycle = lifecycleOf(inputs)
    return {
      reg,
      log: own.map(({ id, input }) => [id, input.event_type, input.severity, input.metadata]),
      added: Object.fromEntries(added),
      ...(opened > 0 && { opened }),
      ...(lifecycle && { lifecycle }),
    }
  })
}

/** The incidents that events open, with what their webhooks need. */
export function incidentsOf(events: readonly NewEvent[]) {
  return events.flatMap(({ id, input, incident }) => {
    if (!incident) return []
    const { event_id, type } = incident.event
    const { reg, severity } = input
    return [{ id: incident.id, reg, event: id, severity, ...incidentTexts(input), event_id, type }]
  })
}
