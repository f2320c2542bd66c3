import { utcDay } from '../../src/lib/time.ts'
import { encodeText, isObject } from '../../src/transparency/bytes.ts'
import { readLeaf } from '../../src/transparency/leaf.ts'
import { type Opening, openLeaf } from '../../src/transparency/opening.ts'
import { windowOf } from '../../src/trust/window.ts'
import { differingRow, judgeScores, judgeSums, readDays } from './days.ts'
import type { Head } from './head.ts'
import { countedOf, type PlacedLeaf } from './history.ts'
import { CannotTell, DoesNotHold, many } from './problems.ts'
import type { Inputs } from './score.ts'
import type { Service } from './service.ts'
import type { Verification } from './token.ts'

const PAGE = 100
const DAY_LATE_MS = 6 * 3_600_000 // promised for a day leaf

type Kind = 'agent' | 'day'

/**
 * Opens the newest revision of the agent in the log, and holds what the token states against it.
 *
 * @returns its facts
 * @throws DoesNotHold; CannotTell
 */
export async function verifyProfile(
  service: Service,
  reg: string,
  head: Head,
  agent: Verification | null,
): Promise<[Record<string, unknown>, string]> {
  const listed = await listLeaves(service, reg, head, 'agent')
  const newest = countedOf(listed, 'agent', head.voided).at(-1)
  const opening = listed.find(({ index }) => index === newest?.index)?.opening
  if (!newest || !opening)
    throw new CannotTell('the profile as it is now is not in the log yet: try again in two minutes')
  const { facts, reason } = await openLeaf(newest.leaf, opening)
  if (!facts) throw new DoesNotHold(`the profile is shown as something else than the log has (${reason})`)
  const stated = agent && { ...agent, status: agent.active ? 'active' : 'deactivated' }
  for (const [name, value] of Object.entries(stated ?? {}))
    if (name in facts && facts[name] !== value)
      throw new DoesNotHold(
        `${name} is stated as ${JSON.stringify(value)}, the log has ${JSON.stringify(facts[name])}`,
      )
  return [facts, `revision ${newest.leaf.rev}, leaf ${newest.index}`]
}

/**
 * Holds the days of the log against each other and against the rows that are shown: each score that was logged follows
 * from its rows, and the rows of logged days are those that are shown.
 *
 * @param shown the rows of the score of now
 * @throws DoesNotHold; CannotTell
 */
export async function verifyDays(
  service: Service,
  reg: string,
  head: Head,
  shown: Inputs | null,
  now: Date,
): Promise<[null, string]> {
  const leaves = countedOf(await listLeaves(service, reg, head, 'day'), 'day', head.voided)
  const { days, revisions, problems } = readDays(leaves)
  problems.push(...judgeSums(days, Number.POSITIVE_INFINITY))
  const scored = await judgeScores(days, revisions)
  const [problem] = [...problems, ...scored.problems]
  if (problem) throw new DoesNotHold(problem)
  if (!shown)
    throw new CannotTell(`${many(days.length, 'day')} of the log hold; no rows to compare them with`)
  const logged = new Set(days.map(({ day }) => day))
  const inWindow = windowOf(shown.rows, shown.today).rows
  const differing = differingRow(
    inWindow.filter(({ day }) => logged.has(day)),
    windowOf(
      days.flatMap(({ rows }) => rows),
      shown.today,
    ).rows,
  )
  if (differing) throw new DoesNotHold(`the rows that are shown are not those of the log: ${differing}`)
  const open = [...new Set(inWindow.map(({ day }) => day))].filter((day) => !logged.has(day))
  const finished = utcDay(new Date(now.getTime() - DAY_LATE_MS))
  const late = open.filter((day) => day < finished)
  if (late.length > 0)
    throw new CannotTell(`${many(late.length, 'day')} up to ${late.at(-1)} are over, and not in the log`)
  const rest = open.length > 0 ? `; of ${open.join(' and ')} the log has no rows yet` : ''
  return [null, `${many(days.length, 'day')}, ${many(scored.scores, 'score')} computed again${rest}`]
}

/** The leaves of one kind that the service lists of an agent, each of which must stand in the tree. */
async function listLeaves(
  service: Service,
  reg: string,
  { tree }: Head,
  kind: Kind,
): Promise<(PlacedLeaf & { opening: Opening | null })[]> {
  const placed: (PlacedLeaf & { opening: Opening | null })[] = []
  let last = -1
  for (let cursor = ''; ; ) {
    const query = `kind=${kind}&limit=${PAGE}&cursor=${encodeURIComponent(cursor)}`
    const page = await service.ask(`/api/v1/agents/${reg}/log-entries?${query}`)
    const data = Array.isArray(page?.data) ? page.data : null
    if (!page || !data) throw new CannotTell('the entries of the log cannot be read')
    for (const { index, leaf: text, opening } of data) {
      const bytes = typeof text === 'string' ? encodeText(text) : null
      if (!Number.isSafeInteger(index) || !bytes) throw new CannotTell('an entry of the log cannot be read')
      if (index <= last) throw new DoesNotHold(`the entries are listed out of order: ${index} comes late`)
      last = index
      if (index >= tree.size) continue
      await tree.requireLeaf(index, bytes)
      const { leaf } = readLeaf(bytes)
      if (!leaf || !('reg' in leaf) || leaf.reg !== reg)
        throw new DoesNotHold(`leaf ${index} is listed, and is not of ${reg}`)
      placed.push({ index, leaf, opening: isObject(opening) ? (opening as unknown as Opening) : null })
    }
    if (page.next_cursor === null) return placed
    if (typeof page.next_cursor !== 'string' || data.length === 0)
      throw new CannotTell('the entries of the log do not end')
    cursor = page.next_cursor
  }
}
