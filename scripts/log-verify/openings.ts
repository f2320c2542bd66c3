import { countedOf, type PlacedLeaf, type Voided } from '../../packages/verify/history.ts'
import { type Opening, openLeaf } from '../../packages/verify/index.ts'
import { ranges } from '../../packages/verify/problems.ts'
import { nodeSha256 } from './tree.ts'
import { type EventFacts, eventFacts } from './wire.ts'

const PUBLIC_EVENTS = 50

/** An event whose leaf was opened. */
export interface OpenedEvent {
  index: number
  seq: number
  facts: EventFacts
  /** Null where they are hidden: redacted, or of an operator that is suspended. */
  metadata: Record<string, unknown> | null
}

/** What was handed out of an agent's leaves, held against them. */
export interface Opened {
  /** By seq, ascending. */
  events: OpenedEvent[]
  /** Seqs of redacted events. */
  redacted: Set<number>
  /** The facts of the newest revision of the agent; null when they are closed or not its own. */
  agent: Record<string, unknown> | null
  /** Whether they were not handed out, as another revision is on its way. */
  isAgentClosed: boolean
  incidents: number
  problems: string[]
}

interface Wanted {
  voided: readonly Voided[]
  /** Who reads: of the operator all events must be open, of others those that are public. */
  reader: 'operator' | 'platform' | 'stranger'
  /** How many events of the newest 50 are not in the log yet. */
  unlogged: number
  /** Whether the operator is suspended: then strangers see neither metadata nor incidents. */
  suspended: boolean
}

/**
 * Opens what was handed out, and asks for what must be: the newest 50 events and all incidents for everybody, all events
 * for the operator, those from the first open one on for a platform.
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
  const first = { operator: 1, platform: Math.min(firstOpen, firstPublic), stranger: firstPublic }[reader]
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
  // Those of redacted events keep their facts; which these are, their leaves do not say.
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
