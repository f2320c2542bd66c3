import type { z } from '@hono/zod-openapi'
import { checkMatches } from '../agents/number.ts'
import { ERROR_STATUS } from '../errors.ts'
import { describeIssues } from '../http/issues.ts'
import type { batchAnswer } from './batch-schema.ts'
import { type Refusal, type RefusedOutcome, refusalOf } from './refusal.ts'
import { type ActivityEvent, type EventInput, eventInput } from './schema.ts'

/** What became of one event of a batch in the database; `position` is its place in the request, from 0. */
export interface BatchFact {
  position: number
  outcome: 'stored' | RefusedOutcome
  id: string
  agent_id: string | null
  created_at: string | null
}

/** An element of a batch: an event that can be asked of the database, or why it is refused without. */
export type BatchItem = { input: EventInput } | { refusal: Refusal }

/** Judges each element of a batch on its own, as the single report would. */
export function judgeItem(element: unknown): BatchItem {
  if (typeof element !== 'object' || element === null || Array.isArray(element)) {
    return { refusal: { code: 'VALIDATION_ERROR', message: 'event: must be an object' } }
  }
  const parsed = eventInput.safeParse(element)
  if (!parsed.success) {
    return { refusal: { code: 'VALIDATION_ERROR', message: describeIssues(parsed.error.issues, 'event') } }
  }
  return checkMatches(parsed.data.reg)
    ? { input: parsed.data }
    : { refusal: refusalOf('unknown_agent', parsed.data.reg) }
}

/** The answer to a batch: one result for each element, in their order. */
export function toBatchAnswer(
  items: readonly BatchItem[],
  facts: readonly BatchFact[],
  reportedBy: ActivityEvent['reported_by'],
): z.infer<typeof batchAnswer> {
  const factOf = new Map(facts.map((fact) => [fact.position, fact]))
  const data = items.map((item, index) => resultOf(item, index, factOf.get(index), reportedBy))
  const accepted = data.filter((result) => 'event' in result).length
  return { data, accepted, rejected: data.length - accepted }
}

function resultOf(
  item: BatchItem,
  index: number,
  fact: BatchFact | undefined,
  reported_by: ActivityEvent['reported_by'],
): z.infer<typeof batchAnswer>['data'][number] {
  if ('refusal' in item) return refused(index, item.refusal)
  // A repeat whose first answer was given when the rules were stricter.
  if (!fact) return refused(index, { code: 'VALIDATION_ERROR', message: 'event: was refused before' })
  const { event_type, severity, metadata, reg } = item.input
  const { id, agent_id, created_at, outcome } = fact
  if (outcome !== 'stored' || agent_id === null || created_at === null) {
    return refused(index, refusalOf(outcome === 'stored' ? 'unknown_agent' : outcome, reg))
  }
  const event = { id, agent_id, event_type, severity, metadata, reported_by, created_at }
  return { index, status: 201 as const, event }
}

function refused(index: number, { code, message }: Refusal) {
  const status = ERROR_STATUS[code]
  return { index, status, error: { code, message, status } }
}
