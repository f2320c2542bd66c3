import { describeFields, ERROR_STATUS } from '../errors.ts'
import type { Actor } from '../http/context.ts'
import { incidentOf } from '../incidents/opened.ts'
import { checkMatches } from '../lib/agent-number.ts'
import { uuidOfPart, uuidv7 } from '../lib/ids.ts'
import { toIso } from '../lib/time.ts'
import { isObject } from '../transparency/bytes.ts'
import { agentNotFound } from '../wire/agent-number.ts'
import { problemsOf } from '../wire/issues.ts'
import { toWarnings } from '../wire/warnings.ts'
import { type AgentFact, type Batch, type BatchFacts, reporterOf } from './entries.ts'
import { type Rejection, rejectionOf } from './rejection.ts'
import { type EventInput, eventInput } from './schema.ts'
import { warningsIn } from './warnings.ts'

/** An element of a batch: a valid event, or why it is rejected. */
export type BatchItem =
  | { input: EventInput; warnings?: ReturnType<typeof toWarnings> }
  | { rejection: Rejection }

/** Validates an element of a batch, as a single report would be. */
export function validateItem(element: unknown): BatchItem {
  if (!isObject(element)) {
    return { rejection: { code: 'VALIDATION_ERROR', message: 'event: must be an object' } }
  }
  const parsed = eventInput.safeParse(element)
  if (!parsed.success) {
    return {
      rejection: {
        code: 'VALIDATION_ERROR',
        message: describeFields(problemsOf(parsed.error.issues, 'event')),
      },
    }
  }
  return checkMatches(parsed.data.reg)
    ? { input: parsed.data, warnings: toWarnings(warningsIn(element)) }
    : { rejection: { code: 'NOT_FOUND', message: agentNotFound(parsed.data.reg).message } }
}

/** The events of a report with their ids and incidents. */
export function toBatch(items: readonly BatchItem[], now: Date): Batch {
  const first_id = uuidv7(now, 0)
  const events = items.map((item, n) =>
    'input' in item
      ? { id: uuidOfPart(first_id, n), input: item.input, incident: incidentOf(item.input, now, n) }
      : null,
  )
  return { first_id, events }
}

export type SettledItem = ReturnType<typeof settle>[number]

/** What became of each element of a report, in order: stored with an id, or rejected. */
export function settle(items: readonly BatchItem[], { first_id, tier, invalid, agents }: BatchFacts) {
  const byReg = new Map(agents.map((fact) => [fact.reg, withIsoTime(fact)]))
  return items.map((item, nth) => {
    if ('rejection' in item) return item
    const { reg } = item.input
    const fact = invalid.includes(nth) ? ({ outcome: 'invalid' } as const) : byReg.get(reg)
    if (!fact) throw new Error('a report returned no outcome')
    if (fact.outcome !== 'stored') return { rejection: rejectionOf(fact.outcome, reg, tier) }
    return { ...item, ...fact, id: uuidOfPart(first_id, nth) }
  })
}

/** Once for each agent: a batch can have a thousand events of one. */
function withIsoTime(fact: AgentFact): AgentFact {
  return fact.outcome === 'stored' ? { ...fact, created_at: toIso(fact.created_at) } : fact
}

/** The result of each element of a report, in order. */
export function toResults(items: readonly SettledItem[], facts: BatchFacts, reporter: Actor) {
  return items.map((item, index) => {
    if ('rejection' in item) return rejected(index, item.rejection)
    const { event_type, severity, metadata } = item.input
    const { id, agent_id, source, platform, created_at } = item
    const redacted = facts.redacted?.[id]
    const event = {
      id,
      agent_id,
      event_type,
      severity,
      metadata: redacted ? {} : metadata,
      reported_by: reporterOf(reporter),
      source,
      platform,
      created_at,
      ...(redacted && { redacted }),
    }
    return { index, status: 201 as const, event, ...item.warnings }
  })
}

function rejected(index: number, { code, message }: Rejection) {
  const status = ERROR_STATUS[code]
  return { index, status, error: { code, message, status } }
}
