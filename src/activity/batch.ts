import type * as z from 'zod'
import { ERROR_STATUS } from '../errors.ts'
import { incidentOf } from '../incidents/opened.ts'
import { checkMatches } from '../lib/agent-number.ts'
import { uuidsv7 } from '../lib/ids.ts'
import { toIso } from '../lib/time.ts'
import { describeIssues } from '../wire/issues.ts'
import type { AgentFact, NewEvent } from './entries.ts'
import { type Rejection, rejectionOf } from './rejection.ts'
import type { ActivityEvent, batchResponse } from './responses.ts'
import { type EventInput, eventInput } from './schema.ts'
import { warningsIn } from './warnings.ts'

/** The outcome of a batch in the database. */
export interface BatchFacts {
  /** The event id of each element of the request, in order; null if it was rejected before the database. */
  ids: (string | null)[]
  /** The outcome for each agent, which all of its events share. */
  agents: AgentFact[]
  /** In kept facts: later redactions by event id. */
  redacted?: Record<string, ActivityEvent['redacted']>
}

/** An element of a batch: a valid event, or why it is rejected. */
export type BatchItem =
  | { input: EventInput; warnings: ReturnType<typeof warningsIn> }
  | { rejection: Rejection }

/** Validates an element of a batch, as a single report would be. */
export function validateItem(element: unknown): BatchItem {
  if (typeof element !== 'object' || element === null || Array.isArray(element)) {
    return { rejection: { code: 'VALIDATION_ERROR', message: 'event: must be an object' } }
  }
  const parsed = eventInput().safeParse(element)
  if (!parsed.success) {
    return { rejection: { code: 'VALIDATION_ERROR', message: describeIssues(parsed.error.issues, 'event') } }
  }
  return checkMatches(parsed.data.reg)
    ? { input: parsed.data, warnings: warningsIn(element) }
    : { rejection: rejectionOf({ outcome: 'unknown_agent', reg: parsed.data.reg }) }
}

/** The events of a batch in the order of the request, with new ids; null for rejected elements. */
export function toEvents(items: readonly BatchItem[], now: Date): (NewEvent | null)[] {
  const ids = uuidsv7(now, items.length)
  return items.map((item, n) => {
    const id = ids[n]
    return id && 'input' in item ? { id, input: item.input, incident: incidentOf(item.input, now) } : null
  })
}

/** The response to a batch: one result for each element, in order. */
export function toBatchResponse(
  items: readonly BatchItem[],
  { ids, agents, redacted }: BatchFacts,
  reportedBy: ActivityEvent['reported_by'],
): z.infer<typeof batchResponse> {
  const factOf = new Map(agents.map((fact) => [fact.reg, withIsoTime(fact)]))
  let accepted = 0
  const data = items.map((item, index) => {
    if ('rejection' in item) return rejected(index, item.rejection)
    const result = resultOf(item.input, index, ids[index], factOf.get(item.input.reg), reportedBy)
    if (!('event' in result)) return result
    accepted++
    const redaction = redacted?.[result.event.id]
    const event = redaction ? { ...result.event, metadata: {}, redacted: redaction } : result.event
    return { ...result, event, ...item.warnings }
  })
  return { data, accepted, rejected: data.length - accepted }
}

function withIsoTime(fact: AgentFact): AgentFact {
  return { ...fact, created_at: fact.created_at && toIso(fact.created_at) }
}

function resultOf(
  { event_type, severity, metadata, reg }: EventInput,
  index: number,
  id: string | null | undefined,
  fact: AgentFact | undefined,
  reported_by: ActivityEvent['reported_by'],
): z.infer<typeof batchResponse>['data'][number] {
  // A repeated request whose first response was made under stricter rules.
  if (!id || !fact)
    return rejected(index, {
      code: 'VALIDATION_ERROR',
      message:
        'event: was rejected when this Idempotency-Key was first used; send it again with a new Idempotency-Key',
    })
  const { agent_id, source, created_at, outcome } = fact
  if (outcome !== 'stored' || !agent_id || !source || !created_at) {
    return rejected(
      index,
      rejectionOf({ ...fact, reg, outcome: outcome === 'stored' ? 'unknown_agent' : outcome }),
    )
  }
  const event = { id, agent_id, event_type, severity, metadata, reported_by, source, created_at }
  return { index, status: 201, event }
}

function rejected(index: number, { code, message }: Rejection) {
  const status = ERROR_STATUS[code]
  return { index, status, error: { code, message, status } }
}
