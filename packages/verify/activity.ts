import type { Source } from '../../src/db/enums.ts'
import { isVoid, type Voided } from './entries.ts'
import type { OpenedEvent } from './events.ts'
import { CLOCK_TOLERANCE_MS, isRecent, MERGE_DELAY_MS, type Seen } from './head.ts'
import type { SeenHead } from './memory.ts'
import { differenceOf, pluralize } from './problems.ts'
import { type RedactionLeaf, wrongRedaction } from './redactions.ts'

const FACTS = ['event_type', 'severity', 'reported_by', 'source', 'platform', 'created_at'] as const

/** An event as the service lists it, unverified. */
export interface ListedEvent {
  id: string
  event_type: string
  severity: string
  reported_by: string
  source: Source
  platform: string | null
  created_at: string
  metadata: Record<string, unknown>
  redacted?: unknown
}

/** The listed events that are not in the log yet, newest first: those before the first one that is. */
export function unloggedOf(listed: readonly ListedEvent[], logged: ReadonlySet<string>): ListedEvent[] {
  const first = listed.findIndex(({ id }) => logged.has(id))
  return listed.slice(0, first < 0 ? listed.length : first)
}

/**
 * Compares the activity that the service lists with the events that the log commits to.
 *
 * @param listed newest first
 * @param opened by seq, ascending; the newest ones
 * @param wanted `most`: how many events the list can hold; `events`: how many the log has; `redactions` by seq
 *
 * Source: docs/use/transparency.md, "What is checked", 7
 */
export function compareActivity(
  listed: readonly ListedEvent[],
  opened: readonly OpenedEvent[],
  {
    most,
    events,
    head,
    redactions,
  }: { most: number; events: number; head: Seen; redactions: ReadonlyMap<number, RedactionLeaf> },
): string[] {
  const problems: string[] = []
  const unlogged = unloggedOf(listed, new Set(opened.map(({ facts }) => facts.id)))
  for (const { id, created_at } of unlogged)
    if (!isRecent(head, created_at))
      problems.push(`event ${id} of ${created_at} is listed, but not in the log`)
  const rest = listed.slice(unlogged.length)
  const expected = Math.min(most - unlogged.length, events)
  if (rest.length < expected && unlogged.length < most)
    problems.push(`${pluralize(expected - rest.length, 'event')} of the log are not listed as activity`)
  for (const [at, event] of rest.entries()) {
    const known = opened.at(-1 - at)
    if (!known) break
    const { seq, facts, metadata } = known
    if (facts.id !== event.id)
      return [
        ...problems,
        `event ${seq} of the log is ${facts.id}, the activity lists ${event.id} in its place`,
      ]
    const redaction = redactions.get(seq)
    const difference =
      differenceOf(event, facts, FACTS) ??
      (event.redacted || redaction ? wrongRedaction(event.redacted, redaction, head) : null)
    if (difference) problems.push(`event ${seq} as listed: ${difference}`)
    if (metadata && differenceOf(event, { metadata }))
      problems.push(`event ${seq}: the listed metadata differs from the log`)
  }
  return problems
}

/**
 * Compares the times of events with earlier heads: an event that a head covers was created before the head was seen;
 * one that it does not cover, at most a merge delay earlier. Heads over void leaves do not count for later events.
 *
 * Source: docs/use/transparency.md, "What is checked", 7
 */
export function judgeTimes(
  opened: readonly OpenedEvent[],
  heads: readonly Pick<SeenHead, 'size' | 'seen_at'>[],
  voided: readonly Voided[] = [],
): string[] {
  let next = 0 // both are in order: the first head that covers the event
  let late: Pick<SeenHead, 'size' | 'seen_at'> | undefined
  return opened.flatMap(({ seq, index, facts: { created_at } }) => {
    for (let head = heads[next]; head && head.size <= index; head = heads[++next])
      if (!isVoid(head.size - 1, voided)) late = head
    const early = heads[next]
    const created = Date.parse(created_at)
    if (early && created > Date.parse(early.seen_at) + CLOCK_TOLERANCE_MS)
      return [`event ${seq} is dated ${created_at}, but was in the log on ${early.seen_at}`]
    if (late && created < Date.parse(late.seen_at) - MERGE_DELAY_MS - CLOCK_TOLERANCE_MS)
      return [
        `event ${seq} is dated ${created_at}, but was not in the log on ${late.seen_at}: backdated, or logged late`,
      ]
    return []
  })
}
