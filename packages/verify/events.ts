import { compareActivity, judgeTimes, type ListedEvent, unloggedOf } from './activity.ts'
import type { Check, Context } from './checks.ts'
import { daysOf, firstOpenDay } from './days.ts'
import { type AgentEntry, type AgentLeaf, entriesOf, isVoid, listEntries } from './entries.ts'
import type { Seen } from './head.ts'
import { judgeNumbers, numbered } from './numbers.ts'
import { openLeaf } from './opening.ts'
import { Inconclusive, pluralize, ranges, requireNone, requireVerified } from './problems.ts'
import { type RedactionLeaf, wrongRedaction } from './redactions.ts'
import { judgeRollups } from './rollups.ts'
import { itemsOf, pagesOf } from './service.ts'

const PUBLIC_EVENTS = 50
/** Listed in place of a custom type that is withheld; the leaf of the event is then not opened. */
const WITHHELD_TYPE = 'other'

/** An event with a verified opening; the types of its facts are as unverified as the service. */
export interface OpenedEvent {
  index: number
  seq: number
  facts: Pick<
    ListedEvent,
    'id' | 'event_type' | 'severity' | 'reported_by' | 'source' | 'platform' | 'created_at'
  >
  /** Null if hidden: redacted, or of a suspended operator. */
  metadata: Record<string, unknown> | null
}

/**
 * Verifies all events of the agent: none is missing in the log; those that the caller may see (the newest 50; with a key
 * of the operator all, with one of the platform also those since the agent joined it) match their leaves, the activity that is
 * listed, and the sums of their days. Reads a page for every 100 events.
 */
export const eventsCheck: Check = {
  name: 'events',
  async verify(context) {
    const head = requireVerified(context.head, 'the checkpoint')
    const { voided, seenAt } = head
    const entries = await listEntries(context, '', true)
    context.entries = entries
    const activity = await fetchActivity(context)
    const leaves = entriesOf(context, 'event')
    const opened = await openEntries(entries.filter(({ index }) => !isVoid(index, voided)))
    const redactions = new Map(entriesOf(context, 'redaction').map(({ leaf }) => [leaf.seq, leaf]))
    const { days } = daysOf(context)
    const openIds = new Set(opened.events.map(({ facts }) => facts.id))
    const isShown = ({ id, event_type }: ListedEvent) =>
      !activity.isWithheld || event_type !== WITHHELD_TYPE || openIds.has(id)
    const listed = activity.listed.filter(isShown)
    const hidden = activity.listed.length - listed.length
    const unlogged = unloggedOf(listed, openIds)
    const last = leaves.at(-1)?.leaf.seq ?? 0
    const closed = leaves.filter(({ opening }) => !opening)
    // With the key of the operator everything; with that of a platform what is listed, which begins when the agent joined it.
    const isWhole = activity.isMember && closed.length === 0
    const most = isWhole ? Number.POSITIVE_INFINITY : activity.isMember ? listed.length : PUBLIC_EVENTS
    const lastClosed = hidden > 0 ? (closed.at(-1)?.leaf.seq ?? 0) : 0
    const summable = opened.events.filter(({ seq }) => seq > lastClosed)
    const summed = judgeRollups(days, summable, seenAt)
    requireNone([
      ...judgeNumbers(entries.flatMap(numbered), voided),
      ...opened.problems,
      ...closedEvents(
        leaves,
        isWhole ? 1 : Math.max(1, last + unlogged.length - PUBLIC_EVENTS + 1),
        hidden,
        context.service.hasKey,
      ),
      ...(activity.isWithheld
        ? []
        : hiddenEvents(
            opened.events.slice(Math.max(0, opened.events.length - most)),
            listed,
            redactions,
            head,
          )),
      ...compareActivity(listed, opened.events, {
        most: most - hidden,
        events: leaves.length - Math.min(hidden, closed.length),
        head,
        redactions,
      }),
      ...judgeTimes(opened.events, context.memory?.heads() ?? [], voided),
      ...days.flatMap(({ day, seq }) =>
        seq > last ? [`day ${day}: ends with event ${seq}, but the log has ${last}`] : [],
      ),
      ...missingDays(opened.events, new Set(days.map(({ day }) => day)), firstOpenDay(seenAt)),
      ...summed.problems,
    ])
    if (hidden > 0 && !context.isWithheld)
      throw new Inconclusive('types of events are withheld by the registry, but not the texts of the profile')
    const { length } = opened.events
    if (context.service.hasKey) tellRange(context, activity.isMember, leaves.length - length)
    context.events = opened.events
    const rest = unlogged.length > 0 ? `; ${unlogged.length} not in the log yet` : ''
    return `${length} of ${pluralize(leaves.length, 'event')} opened, ${pluralize(summed.days, 'day')} added up from them${rest}`
  },
}

async function fetchActivity({ service, reg }: Context) {
  const listed: ListedEvent[] = []
  let [isWithheld, isMember] = [false, false]
  const path = `/api/v1/agents/${reg}/activity?per_page=${PUBLIC_EVENTS}`
  for await (const page of pagesOf(service, path, true)) {
    listed.push(...itemsOf<ListedEvent>(page))
    isWithheld ||= page?.withheld !== undefined
    isMember ||= page?.next_cursor !== undefined // only the operator and the platform can page through theirs
  }
  return { listed, isWithheld, isMember }
}

/** Verifies all openings; returns the events that have one. */
async function openEntries(entries: readonly AgentEntry[]) {
  const events: OpenedEvent[] = []
  const problems: string[] = []
  for (const { index, leaf, opening } of entries) {
    if (!opening) continue
    const { facts, content, reason } = await openLeaf(leaf, opening)
    if (reason) problems.push(`${nameOf(leaf)} does not match the log (${reason})`)
    else if (leaf.kind === 'event')
      events.push({
        index,
        seq: leaf.seq,
        facts: facts as unknown as OpenedEvent['facts'],
        metadata: content,
      })
  }
  for (const [at, { seq, facts }] of events.entries())
    if (facts.created_at < (events[at - 1]?.facts.created_at ?? ''))
      problems.push(`event ${seq} has an earlier time than the previous event`)
  return { events, problems }
}

function nameOf(leaf: AgentLeaf): string {
  if (leaf.kind === 'event') return `event ${leaf.seq}`
  if (leaf.kind === 'agent') return `revision ${leaf.rev} of the agent`
  return leaf.kind === 'incident'
    ? `revision ${leaf.rev} of incident ${leaf.id}`
    : `a leaf of kind ${leaf.kind}`
}

/**
 * Events that must be open are not: from `first` on, and with a key also those after the first open one. As many may be
 * closed as are listed with a type that is withheld.
 */
function closedEvents(
  leaves: readonly AgentEntry<'event'>[],
  first: number,
  hidden: number,
  hasKey: boolean,
): string[] {
  const firstOpen = hasKey ? (leaves.find(({ opening }) => opening)?.leaf.seq ?? first) : first
  const closed = leaves.filter(({ leaf, opening }) => !opening && leaf.seq >= Math.min(first, firstOpen))
  if (closed.length <= hidden) return []
  return [`events that must be public are not shown: seq ${ranges(closed.map(({ leaf }) => leaf.seq))}`]
}

/** Events without metadata that no leaf states to be redacted. */
function hiddenEvents(
  events: readonly OpenedEvent[],
  listed: readonly ListedEvent[],
  redactions: ReadonlyMap<number, RedactionLeaf>,
  head: Seen,
): string[] {
  const shown = new Map(listed.map(({ id, redacted }) => [id, redacted]))
  return events.flatMap(({ seq, facts, metadata }) => {
    const wrong = !metadata && !redactions.has(seq) && wrongRedaction(shown.get(facts.id), undefined, head)
    return wrong ? [`the metadata of event ${seq} ${wrong}`] : []
  })
}

/** Finished days with open events that are not in the log. */
function missingDays(
  events: readonly OpenedEvent[],
  logged: ReadonlySet<string>,
  finished: string,
): string[] {
  return [...new Set(events.map(({ facts }) => facts.created_at.slice(0, 10)))]
    .filter((day) => day < finished && !logged.has(day))
    .map((day) => `day ${day} is over, but not in the log`)
}

/** Notes which events a key cannot open; it must be that of the operator of the agent or of its platform. */
function tellRange({ notes }: Context, isMember: boolean, closed: number): void {
  if (closed === 0) return
  if (!isMember)
    throw new Error(
      'the key does not belong to the operator or platform of the agent: it opens only what is public',
    )
  notes.push(`the key is not that of the agent's operator: it cannot open ${pluralize(closed, 'event')}`)
}
