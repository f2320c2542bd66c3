import { isVoid, type Voided } from '../../packages/verify/history.ts'
import { pluralize } from '../../packages/verify/problems.ts'
import type { OpenedEvent } from './openings.ts'
import type { SeenHead } from './state.ts'
import type { ListedEvent } from './wire.ts'

const FACTS = ['event_type', 'severity', 'reported_by', 'source', 'created_at'] as const
const CLOCK_TOLERANCE_MS = 60_000 // between the clock of the service and that of this machine

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
 * @param wanted `most`: how many events the list can hold; `events`: how many the log has; `head`: when its head was
 * fetched; `delayMs`: the merge delay
 *
 * Source: transparency log, The verifier, 4
 */
export function compareActivity(
  listed: readonly ListedEvent[],
  opened: readonly OpenedEvent[],
  { most, events, head, delayMs }: { most: number; events: number; head: Date; delayMs: number },
): string[] {
  const problems: string[] = []
  const unlogged = unloggedOf(listed, new Set(opened.map(({ facts }) => facts.id)))
  const since = new Date(head.getTime() - delayMs - CLOCK_TOLERANCE_MS).toISOString()
  for (const { id, created_at } of unlogged) {
    if (created_at < since) problems.push(`event ${id} of ${created_at} is listed, but not in the log`)
  }
  const rest = listed.slice(unlogged.length)
  const expected = Math.min(most - unlogged.length, events)
  if (rest.length < expected && unlogged.length < most)
    problems.push(`${pluralize(expected - rest.length, 'event')} of the log are not listed as activity`)
  for (const [at, event] of rest.entries()) {
    const known = opened.at(-1 - at)
    if (!known) break
    if (known.facts.id !== event.id) {
      problems.push(
        `event ${known.seq} of the log is ${known.facts.id}, the activity lists ${event.id} in its place`,
      )
      break
    }
    for (const field of FACTS) {
      if (known.facts[field] !== event[field])
        problems.push(
          `event ${known.seq}: ${field} is listed as ${event[field]}, the log has ${known.facts[field]}`,
        )
    }
    if (known.metadata && !isSameJson(known.metadata, event.metadata))
      problems.push(`event ${known.seq}: the listed metadata differs from the log`)
  }
  return problems
}

/**
 * Compares the times of events with earlier heads: an event that a head covers was created before the head was seen;
 * one that it does not cover, at most a merge delay earlier. Heads over void leaves do not count for later events.
 *
 * Source: transparency log, The verifier, 4
 */
export function judgeTimes(
  opened: readonly OpenedEvent[],
  heads: readonly Pick<SeenHead, 'size' | 'seen_at'>[],
  delayMs: number,
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
    if (late && created < Date.parse(late.seen_at) - delayMs - CLOCK_TOLERANCE_MS)
      return [
        `event ${seq} is dated ${created_at}, but was not in the log on ${late.seen_at}: backdated, or logged late`,
      ]
    return []
  })
}

/** Whether two JSON values are equal, ignoring the order of keys. */
function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const names = Object.keys(one)
  const isSame = (name: string) =>
    Object.hasOwn(other, name) && isSameJson(Reflect.get(one, name), Reflect.get(other, name))
  return names.length === Object.keys(other).length && names.every(isSame)
}
