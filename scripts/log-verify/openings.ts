import { countedOf, type PlacedLeaf, type Voided } from '../../packages/verify/history.ts'
import { type Opening, openLeaf } from '../../packages/verify/index.ts'
import { ranges } from '../../packages/verify/problems.ts'
import { nodeSha256 } from './tree.ts'
import { type EventFacts, eventFacts } from './wire.ts'

const PUBLIC_EVENTS = 50

/** An event with a verified opening. */
export interface OpenedEvent {
  index: number
  seq: number
  facts: EventFacts
  /** Null if hidden: redacted, or of a suspended operator. */
  metadata: Record<string, unknown> | null
}

/** The verified openings of an agent's leaves. */
export interface Opened {
  /** By seq, ascending. */
  events: OpenedEvent[]
  /** Seqs of redacted events. */
  redacted: Set<number>
  /** The facts of the newest revision of the agent; null if they have no opening or do not match the leaf. */
  agent: Record<string, unknown> | null
  /** Whether they have no opening, because a newer revision is about to be logged. */
  isAgentClosed: boolean
  incidents: number
  problems: string[]
}

interface Wanted {
  voided: readonly Voided[]
  /** Whose key is used: for the operator, all events must have openings; for others, the public ones. */
  reader: 'operator' | 'platform' | 'anyone'
  /** How many of the newest 50 events are not in the log yet. */
  unlogged: number
  /** Whether the operator is suspended, so that metadata and incidents are not public. */
  suspended: boolean
}

/**
 * Verifies the openings, and that none is missing: of the newest 50 events and all incidents for anyone, of all events
 * for the operator, and of all events since the first open one for a platform.
 *
 * Source: transparency log, Commitments
 */
export async function openEntries(
  placed: readonly (PlacedLeaf & { opening: Opening | null })[],
  { voided, reader, unlogged, suspended }: Wanted,
): Promise<Opened> {
  const problems: string[] = []
  const isHidden = suspended && reader !== 'operator'
  const redacted = new Set(countedOf(placed, 'redaction', voided).map(({ leaf }) => leaf.seq))
  const openings = new Map(placed.map(({ index, opening }) => [index, opening]))
  const open = async (at: PlacedLeaf) => {
    const opening = openings.get(at.index)
    if (!opening) return null
    const opened = await openLeaf(at.leaf, opening, nodeSha256)
    if (opened.reason === null) return opened
    problems.push(`${nameOf(at)} does not match the log (${opened.reason})`)
    return null
  }

  const leaves = countedOf(placed, 'event', voided)
  const last = leaves.at(-1)?.leaf.seq ?? 0
  const firstPublic = last - Math.max(0, PUBLIC_EVENTS - unlogged) + 1
  const firstOpen = leaves.find(({ index }) => openings.get(index))?.leaf.seq ?? firstPublic
  const first = { operator: 1, platform: Math.min(firstOpen, firstPublic), anyone: firstPublic }[reader]
  const events: OpenedEvent[] = []
  const closed: number[] = []
  for (const at of leaves) {
    const { seq } = at.leaf
    const opened = await open(at)
    if (!opened) {
      if (seq >= first && !openings.get(at.index)) closed.push(seq)
      continue
    }
    const facts = eventFacts.safeParse(opened.facts)
    if (!facts.success) problems.push(`event ${seq} has an opening that is not an event`)
    else events.push({ index: at.index, seq, facts: facts.data, metadata: opened.metadata })
    if (opened.metadata === null && !redacted.has(seq) && !isHidden)
      problems.push(`event ${seq} is shown without its metadata, but no leaf states that it was redacted`)
  }
  if (closed.length > 0) problems.push(`events that must be public are not shown: seq ${ranges(closed)}`)
  for (const [at, { seq, facts }] of events.entries()) {
    const before = events[at - 1]
    if (before && facts.created_at < before.facts.created_at)
      problems.push(`event ${seq} has an earlier time than the previous event`)
  }

  const incidents = countedOf(placed, 'incident', voided)
  const hidden = new Set<string>()
  for (const at of incidents) {
    if (openings.get(at.index)) await open(at)
    else hidden.add(at.leaf.id)
  }
  // Incidents of redacted events have no openings, but their leaves do not show which these are.
  if (hidden.size > redacted.size)
    problems.push(`incidents that must be public are not shown: ${[...hidden].join(', ')}`)

  const agents = countedOf(placed, 'agent', voided)
  const revisions = await Promise.all(agents.map(open))
  const agent = revisions.at(-1)?.facts ?? null
  const isAgentClosed = !openings.get(agents.at(-1)?.index ?? -1)
  const count = new Set(incidents.map(({ leaf }) => leaf.id)).size
  return { events, redacted, agent, isAgentClosed, incidents: count, problems }
}

function nameOf({ leaf }: PlacedLeaf): string {
  if (leaf.kind === 'event') return `event ${leaf.seq}`
  if (leaf.kind === 'agent') return `revision ${leaf.rev} of the agent`
  return leaf.kind === 'incident'
    ? `revision ${leaf.rev} of incident ${leaf.id}`
    : `a leaf of kind ${leaf.kind}`
}
