import { countedOf, judgeHistory, numbered, type PlacedLeaf } from '../../packages/verify/history.ts'
import { type Opening, openLeaf, readLeaf } from '../../packages/verify/index.ts'
import { CheckFailed, Inconclusive, pluralize, ranges } from '../../packages/verify/problems.ts'
import type { Service } from '../../packages/verify/service.ts'
import { encodeText, isObject } from '../../src/transparency/bytes.ts'
import { compareActivity, unloggedOf } from '../log-verify/activity.ts'
import type { OpenedEvent } from '../log-verify/openings.ts'
import type { EventFacts, ListedEvent } from '../log-verify/wire.ts'
import type { Head } from './head.ts'

const PAGE = 100
const PUBLIC_EVENTS = 50

type Entry = PlacedLeaf & { opening: Opening | null }

/** The result of one check. */
export interface Finding {
  holds: boolean
  what: string
}

/** The verified records of an agent in the log. */
export interface VerifiedAgent {
  /** From its newest revision; null if that has no opening. */
  name: string | null
  findings: Finding[]
  /** Information that is neither a success nor a failure. */
  notes: string[]
  /** The newest first. */
  events: OpenedEvent[]
}

/**
 * Verifies the records of an agent in the log.
 *
 * @param onProgress receives how many leaves were verified so far
 * @returns null when the agent does not exist
 * @throws CheckFailed for a failure that makes further checks meaningless; Inconclusive
 */
export async function verifyAgent(
  service: Service,
  head: Head,
  reg: string,
  tell: (leaves: number) => void = () => {},
): Promise<VerifiedAgent | null> {
  const notes: string[] = []
  const entries = await fetchEntries(service, head, reg, notes, tell)
  if (!entries) return null
  if (entries.length === 0) await requireYoung(service, head, reg)
  const { voided } = head
  const count = (kind: PlacedLeaf['leaf']['kind']) => countedOf(entries, kind, voided).length
  const events = count('event')
  const findings: Finding[] = findingsOf(
    `${pluralize(entries.length, 'leaf is', 'leaves are')} in the signed tree, and no number is missing or duplicate: ` +
      `${pluralize(events, 'event')}, ${pluralize(count('agent'), 'revision')} of the agent, ${count('incident')} of incidents, ${pluralize(count('day'), 'day')}`,
    judgeHistory(
      entries.flatMap((one) => numbered(one) ?? []),
      voided,
    ),
  )
  const { listed, isSuspended } = await fetchActivity(service, reg)
  const opened = await openEntries(entries, head, isSuspended, listed)
  findings.push(
    ...findingsOf(
      `The public content matches the log: ${pluralize(opened.events.length, 'event')}, ${pluralize(opened.incidents, 'incident')}${opened.agent ? ' and the profile' : ''}`,
      opened.problems,
    ),
  )
  const { seenAt, delayMs } = head
  const compared = { most: PUBLIC_EVENTS, events, head: seenAt, delayMs }
  findings.push(
    ...findingsOf(
      `The public activity matches the log: ${pluralize(listed.length - opened.unlogged, 'event')}`,
      compareActivity(listed, opened.events, compared),
    ),
  )
  const closed = events - opened.handedOut
  if (closed > 0)
    notes.push(
      `${pluralize(closed, 'older event')} cannot be opened: their numbers are checked, but their content is visible only to the agent’s operator and platform.`,
    )
  if (opened.unlogged > 0) notes.push(`${pluralize(opened.unlogged, 'event')} are not in the log yet.`)
  if (count('redaction') > 0)
    notes.push(`${pluralize(count('redaction'), 'event')} had their metadata redacted, as a leaf states.`)
  const name = opened.agent?.name
  return {
    name: typeof name === 'string' ? name : null,
    findings,
    notes,
    events: opened.events.toReversed(),
  }
}

/** The leaves of an agent, each verified to be in the tree of the head; null when the agent does not exist. */
async function fetchEntries(
  service: Service,
  { tree }: Head,
  reg: string,
  notes: string[],
  tell: (leaves: number) => void,
): Promise<Entry[] | null> {
  const entries: Entry[] = []
  const unknown: number[] = []
  let last = -1
  for (let cursor = ''; ; ) {
    const query = `limit=${PAGE}&cursor=${encodeURIComponent(cursor)}`
    const page = await service.fetchJson(`/api/v1/agents/${reg}/log-entries?${query}`)
    if (!page) return null
    const data = Array.isArray(page.data) ? page.data : []
    for (const { index, leaf: text, opening = null } of data) {
      const bytes = typeof text === 'string' ? encodeText(text) : null
      if (!Number.isSafeInteger(index) || !bytes) throw new Inconclusive('An entry cannot be read.')
      if (index <= last) throw new CheckFailed(`the entries are listed out of order: ${index} comes late`)
      last = index
      if (index >= tree.size) continue
      await tree.requireLeaf(index, bytes)
      const read = readLeaf(bytes)
      if (read.reason === 'unknown') unknown.push(index)
      else if (!read.leaf || !('reg' in read.leaf) || read.leaf.reg !== reg)
        throw new CheckFailed(`leaf ${index} is listed, but is not of ${reg}`)
      else entries.push({ index, leaf: read.leaf, opening })
    }
    tell(entries.length)
    if (typeof page.next_cursor !== 'string' || data.length === 0) break
    cursor = page.next_cursor
  }
  if (unknown.length > 0) notes.push(`This page does not know the kind of leaf ${ranges(unknown)}.`)
  return entries
}

/** An agent without leaves is valid only if it was registered within the merge delay. */
async function requireYoung(service: Service, { seenAt, delayMs }: Head, reg: string): Promise<never> {
  const profile = await service.fetchJson(`/api/v1/agents/${reg}`)
  const registered = String(profile?.registered_at)
  if (Date.parse(registered) < seenAt.getTime() - delayMs)
    throw new CheckFailed(`the log contains nothing about ${reg}, which was registered on ${registered}`)
  throw new Inconclusive(`${reg} is not in the log yet: try again in two minutes.`)
}

async function fetchActivity(
  service: Service,
  reg: string,
): Promise<{ listed: ListedEvent[]; isSuspended: boolean }> {
  const page = await service.fetchJson(`/api/v1/agents/${reg}/activity?per_page=${PUBLIC_EVENTS}`)
  if (!Array.isArray(page?.data)) throw new Inconclusive('The activity cannot be read.')
  return { listed: page.data, isSuspended: page.operator_status === 'suspended' }
}

interface Opened {
  /** By seq, ascending. */
  events: OpenedEvent[]
  /** Events with an opening. */
  handedOut: number
  /** Incidents whose openings were verified. */
  incidents: number
  /** The facts of the newest revision; null without an opening. */
  agent: Record<string, unknown> | null
  /** Listed events that are not in the log yet. */
  unlogged: number
  problems: string[]
}

/** Verifies the openings against the leaves, and reports openings that must be public but are missing. */
async function openEntries(
  entries: readonly Entry[],
  { voided }: Head,
  isSuspended: boolean,
  listed: readonly ListedEvent[],
): Promise<Opened> {
  const opened: Opened = { events: [], handedOut: 0, incidents: 0, agent: null, unlogged: 0, problems: [] }
  const openings = new Map(entries.map(({ index, opening }) => [index, opening]))
  const redacted = new Set(countedOf(entries, 'redaction', voided).map(({ leaf }) => leaf.seq))
  const open = async ({ index, leaf }: PlacedLeaf, what: string) => {
    const opening = openings.get(index)
    if (!isObject(opening)) return null
    const made = await openLeaf(leaf, opening)
    if (made.reason === null) return made
    opened.problems.push(`${what} does not match the log (${made.reason})`)
    return null
  }
  const events = countedOf(entries, 'event', voided)
  for (const at of events) {
    const { seq } = at.leaf
    const made = await open(at, `event ${seq}`)
    if (!made) continue
    opened.events.push({
      index: at.index,
      seq,
      facts: made.facts as unknown as EventFacts, // compared field by field with what is listed
      metadata: made.metadata,
    })
    if (!made.metadata && !redacted.has(seq) && !isSuspended)
      opened.problems.push(
        `event ${seq} is shown without its metadata, but no leaf states that it was redacted`,
      )
  }
  opened.unlogged = unloggedOf(listed, new Set(opened.events.map(({ facts }) => facts.id))).length
  const last = events.at(-1)?.leaf.seq ?? 0
  const first = last - Math.max(0, PUBLIC_EVENTS - opened.unlogged) + 1
  const closed = events.filter(({ index, leaf }) => leaf.seq >= first && !openings.get(index))
  opened.handedOut = events.filter(({ index }) => openings.get(index)).length
  if (closed.length > 0)
    opened.problems.push(
      `events that must be public are not shown: seq ${ranges(closed.map(({ leaf }) => leaf.seq))}`,
    )
  const incidents = countedOf(entries, 'incident', voided)
  const shown = new Set<string>()
  for (const at of incidents) {
    if (await open(at, `revision ${at.leaf.rev} of incident ${at.leaf.id}`)) shown.add(at.leaf.id)
  }
  opened.incidents = shown.size
  const hidden = new Set(incidents.map(({ leaf }) => leaf.id)).size - shown.size
  // Incidents of redacted events have no openings, but their leaves do not show which these are.
  if (hidden > redacted.size && !isSuspended)
    opened.problems.push(`${pluralize(hidden, 'incident')} that must be public are not shown`)
  for (const at of countedOf(entries, 'agent', voided)) {
    opened.agent = (await open(at, `revision ${at.leaf.rev} of the agent`))?.facts ?? null
  }
  return opened
}

function findingsOf(what: string, problems: readonly string[]): Finding[] {
  return problems.length === 0
    ? [{ holds: true, what }]
    : problems.map((problem) => ({ holds: false, what: problem }))
}
