import { utcDay } from '../../src/lib/time.ts'
import { decodeBase64Url, encodeBase64, parseObject } from '../../src/transparency/bytes.ts'
import {
  type OpenedCheckpoint,
  openSigned,
  type SignedCheckpoint,
} from '../../src/transparency/checkpoint.ts'
import { parseVerifierKey } from '../../src/transparency/keys.ts'
import type { Leaf } from '../../src/transparency/leaf.ts'
import { commit, type Opening } from '../../src/transparency/opening.ts'
import type { LogHead } from '../../src/transparency/token.ts'
import { windowOf } from '../../src/trust/window.ts'
import { differingRow, judgeScores, judgeSums, readDays, rowsOf } from './days.ts'
import { type Head, type Listed, openHead, readListed } from './head.ts'
import { isVoid } from './history.ts'
import { CheckFailed, Inconclusive, requireSame, requireVerified } from './problems.ts'
import type { Inputs } from './score.ts'
import type { Service } from './service.ts'
import type { Verification } from './token.ts'

const PAGE = 100
const DAY_LATE_MS = 6 * 3_600_000 // within which a day leaf is promised

/** A leaf of one kind with its index in the tree, and its opening if the service disclosed it. */
interface Entry<Kind> {
  index: number
  leaf: Extract<Leaf, { kind: Kind }>
  opening: Opening | null | undefined
}

/**
 * Opens the newest signed head of the log, whose tree must extend the tree of the head in the token.
 *
 * @param openPinned verifies the note with keys of the caller; if omitted, the keys that the registry names are used
 * @param stated the head in the token
 * @throws CheckFailed; Inconclusive
 */
export async function verifyHead(
  service: Service,
  openPinned: ((note: string) => Promise<OpenedCheckpoint>) | undefined,
  stated: LogHead | null,
): Promise<[Head, string]> {
  const head = await openHead(service, async (note, { vkeys }) => {
    const { checkpoint, reason } = await (openPinned ? openPinned(note) : openUnpinned(note, vkeys))
    if (checkpoint) return checkpoint
    throw new CheckFailed(`the head of the log is not valid (${reason})`)
  })
  if (!head) throw new Inconclusive('the registry has no log')
  const { origin, size } = head.checkpoint
  if (stated) {
    requireSame('the log of the token', stated, { origin })
    if (stated.size > size) throw new Inconclusive('the checkpoint is older than the token: try again later')
    const root = encodeBase64(await head.tree.rootAt(stated.size))
    requireSame('the log of the token', stated, { root })
  }
  const by = openPinned ? '' : ', signed by a key taken from the registry itself'
  return [head, `${origin}, leaves: ${size}${by}`]
}

/**
 * Opens the newest revision of the agent in the log and compares it with the statements of the token.
 *
 * @returns its facts
 * @throws CheckFailed; Inconclusive
 */
export async function verifyProfile(
  service: Service,
  reg: string,
  head: Head | null,
  agent: Verification | null,
): Promise<[Record<string, unknown>, string]> {
  const newest = (await listLeaves(service, reg, head, 'agent')).at(-1)
  if (!newest?.opening) throw new Inconclusive('the newest profile is not in the log yet: try again later')
  const { index, leaf, opening } = newest
  // Not null, which a leaf could contain.
  const c = (await commit(decodeBase64Url(opening.salt), opening.facts)) ?? undefined
  const facts = parseObject(opening.facts) ?? {}
  requireSame('the profile and its leaf', leaf, { c })
  const stated = agent && { ...agent, status: agent.active ? 'active' : 'deactivated' }
  requireSame('the token', { ...facts, ...stated }, facts)
  return [facts, `revision ${leaf.rev}, leaf ${index}`]
}

/**
 * Compares the days of the log with each other and with the rows that are shown: each score that was logged follows
 * from its rows, and the rows of logged days are those that are shown.
 *
 * @param shown the rows of the score of now
 * @throws CheckFailed; Inconclusive
 */
export async function verifyDays(
  service: Service,
  reg: string,
  head: Head | null,
  shown: Inputs | null,
  now: Date,
): Promise<[null, string]> {
  const { days, revisions, problems } = readDays(await listLeaves(service, reg, head, 'day'))
  const scored = await judgeScores(days, revisions)
  const [problem] = [...problems, ...judgeSums(days), ...scored.problems]
  if (problem) throw new CheckFailed(problem)
  const { rows, today } = requireVerified(shown, 'the score')
  const logged = new Set(days.map(({ day }) => day))
  const inWindow = windowOf(rows, today).rows
  const differing = differingRow(
    inWindow.filter(({ day }) => logged.has(day)),
    windowOf(rowsOf(days), today).rows,
  )
  if (differing) throw new CheckFailed(`the rows that are shown are not those of the log: ${differing}`)
  const open = [...new Set(inWindow.map(({ day }) => day))].filter((day) => !logged.has(day))
  const finished = utcDay(new Date(now.getTime() - DAY_LATE_MS))
  const late = open.find((day) => day < finished)
  if (late) throw new Inconclusive(`day ${late} is over, but not in the log`)
  const rest = open.length > 0 ? `; not logged yet: ${open.join(', ')}` : ''
  return [null, `days: ${days.length}, scores computed again: ${scored.scores}${rest}`]
}

/** The leaves of one kind that the service lists for an agent, without void ones; each must be in the tree. */
async function listLeaves<Kind extends 'agent' | 'day'>(
  service: Service,
  reg: string,
  head: Head | null,
  kind: Kind,
): Promise<Entry<Kind>[]> {
  const { tree, voided } = requireVerified(head, 'the checkpoint')
  const entries: Entry<Kind>[] = []
  let last = -1
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = `kind=${kind}&limit=${PAGE}&cursor=${encodeURIComponent(cursor)}`
    const page = await service.fetchJson(`/api/v1/agents/${reg}/log-entries?${query}`)
    if (!page) throw new Inconclusive(`there is no agent ${reg}`)
    const listed = page.data as (Listed & { opening?: Opening })[]
    for (const entry of listed) {
      const { index, opening } = entry
      if (!(index > last)) throw new CheckFailed(`the entries are listed out of order: ${index} comes late`)
      last = index
      const leaf = await readListed(tree, { kind, reg }, entry)
      if (leaf && !isVoid(index, voided)) entries.push({ index, leaf, opening })
    }
    // An empty page is the last one, whatever its `next` says.
    cursor = listed.length > 0 ? (page.next_cursor as string | null) : null
  }
  return entries
}

/** Opens a head with the keys that the registry names. */
async function openUnpinned(note: string, vkeys: readonly string[]): Promise<SignedCheckpoint> {
  const keys = await Promise.all(vkeys.map(parseVerifierKey))
  return openSigned(
    note,
    keys.filter((key) => key !== null),
  )
}
