import { utf8 } from '../../src/lib/crypto.ts'
import { type Leaf, type LeafKind, readLeaf } from '../../src/transparency/leaf.ts'
import type { Check, Context } from './checks.ts'
import type { Listed } from './head.ts'
import type { Opening } from './opening.ts'
import { CheckFailed, differenceOf, pluralize, requireVerified } from './problems.ts'
import { itemsOf, pagesOf } from './service.ts'
import type { Tree } from './tree.ts'

const PAGE = 100
export const NO_EVENTS = 'after=9999999999'

/** Leaves [from, to) that a restore leaf has declared void. */
export interface Voided {
  from: number
  to: number
}

/** A leaf of an agent. */
export type AgentLeaf = Extract<Leaf, { reg: string }>

/** A leaf of an agent with its index in the tree, and its opening if the service disclosed it. */
export interface AgentEntry<Kind extends AgentLeaf['kind'] = AgentLeaf['kind']> {
  index: number
  leaf: Extract<AgentLeaf, { kind: Kind }>
  opening: Opening | null
}

/** Reads the leaves of the agent except events: each is the one in the signed tree, byte for byte. */
export const entriesCheck: Check = {
  name: 'entries',
  async verify(context) {
    context.entries = await listEntries(context, NO_EVENTS)
    return `${pluralize(context.entries.length, 'leaf', 'leaves')} in the signed tree, apart from events`
  },
}

/**
 * The leaves that the service lists for an agent, including void ones; each must be in the tree.
 *
 * @param query of `GET /agents/{reg}/log-entries`
 * @param isReader whether the key is sent, which opens more leaves
 * @param until the number of the last event that is needed
 * @throws CheckFailed; Inconclusive
 */
export async function listEntries(
  context: Context,
  query: string,
  isReader = false,
  until = Number.POSITIVE_INFINITY,
): Promise<AgentEntry[]> {
  const { service, reg, notes } = context
  const { tree } = requireVerified(context.head, 'the checkpoint')
  const entries: AgentEntry[] = []
  let [last, unknown] = [-1, 0]
  const path = `/api/v1/agents/${reg}/log-entries?${query}&limit=${PAGE}`
  for await (const page of pagesOf(service, path, isReader)) {
    const data = itemsOf<Listed & { opening?: Opening | null }>(page)
    for (const { index } of data) {
      if (!(index > last)) throw new CheckFailed(`the entries are listed out of order: ${index} comes late`)
      last = index
    }
    const leaves = await Promise.all(data.map((listed) => readListed(tree, listed, { reg })))
    for (const [at, { index, opening = null }] of data.entries()) {
      const leaf = leaves[at] as AgentLeaf | null
      if (leaf) entries.push({ index, leaf, opening })
      else if (index < tree.size) unknown += 1
    }
    if (leaves.some((leaf) => leaf?.kind === 'event' && leaf.seq >= until)) break
  }
  const note = `${pluralize(unknown, 'leaf', 'leaves')} of a kind that this version does not know`
  if (unknown > 0 && !notes.includes(note)) notes.push(note)
  return entries
}

/**
 * Reads a leaf that a service lists.
 *
 * @param stated fields and values that the leaf must have
 * @returns null if it is beyond the end of the tree, or of an unknown version or kind
 * @throws CheckFailed if the tree has another leaf at its index, or it is not a valid leaf
 *
 * Source: docs/use/transparency.md, "What it contains".
 */
export async function readListed<const Stated extends { kind?: LeafKind; reg?: string }>(
  tree: Tree,
  { index, leaf: text }: Listed,
  stated: Stated,
): Promise<Extract<Leaf, Stated> | null> {
  if (index >= tree.size) return null
  const bytes = utf8(text)
  await tree.requireLeaf(index, bytes)
  const { leaf, reason } = readLeaf(bytes)
  if (reason === 'unknown' && !('kind' in stated)) return null
  if (leaf && !differenceOf(leaf, stated)) return leaf as Extract<Leaf, Stated>
  throw new CheckFailed(`leaf ${index} is not a valid leaf for ${Object.values(stated).join(' ')}`)
}

/**
 * The entries of one kind that are not void.
 *
 * @throws Inconclusive without verified entries
 */
export function entriesOf<Kind extends AgentLeaf['kind']>(
  { head, entries }: Pick<Context, 'head' | 'entries'>,
  kind: Kind,
): AgentEntry<Kind>[] {
  const { voided } = requireVerified(head, 'the checkpoint')
  const isCounted = ({ index, leaf }: AgentEntry) => leaf.kind === kind && !isVoid(index, voided)
  return requireVerified(entries, 'the entries').filter(isCounted) as unknown[] as AgentEntry<Kind>[]
}

/** Whether a leaf was declared void. */
export function isVoid(index: number, voided: readonly Voided[]): boolean {
  return voided.some(({ from, to }) => index >= from && index < to)
}
