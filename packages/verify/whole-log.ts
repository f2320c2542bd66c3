import { decodeBase64Url, sameBytes } from '../../src/transparency/bytes.ts'
import { SIGNATURE_TYPES, toVerifierKey } from '../../src/transparency/keys.ts'
import { type Leaf, type LeafSummary, readLeaves } from '../../src/transparency/leaf.ts'
import { hashLeaf, type Sha256, webSha256 } from '../../src/transparency/merkle.ts'
import { TILE_WIDTH } from '../../src/transparency/tiles.ts'
import type { Check, Context } from './checks.ts'
import { isVoid, type Voided } from './entries.ts'
import { type GrowingTree, growingTree } from './growing-tree.ts'
import type { Head } from './head.ts'
import { judgeNumbers, type Numbered, numbered } from './numbers.ts'
import { CheckFailed, pluralize, ranges, requireNone, requireVerified } from './problems.ts'

const AHEAD = 12 // bundles under way

/** A key of the log that was added or removed, as a verifier key of its origin. */
export interface KeyMove {
  vkey: string
  state: 'added' | 'removed'
}

/** The content of the whole log. */
interface WholeLog {
  events: number
  restores: (Voided & { index: number; at: string })[]
  logKeys: KeyMove[]
  tokenKeys: number
  unknown: Map<string, number>
  /** The leaves of each agent: all indexes, and the numbers of those that are numbered. */
  agents: Map<string, { indexes: number[]; numbers: Numbered[] }>
  /** The leaves of operators and platforms. */
  states: Numbered[]
  problems: string[]
}

/**
 * Reads every leaf of the log, computes the root from them, and checks the numbers of all agents. Only this finds leaves
 * that the list of an agent omits.
 *
 * @param sha256 replaces Web Crypto, such as by `node:crypto`, which is faster
 *
 * Source: transparency log, The verifier, 6
 */
export const wholeLogCheck = ({ sha256 = webSha256 }: { sha256?: Sha256 } = {}): Check => ({
  name: 'all',
  async verify(context) {
    const { notes, memory } = context
    const head = requireVerified(context.head, 'the checkpoint')
    const found = await readWholeLog(head, sha256)
    const announced = new Set(head.info.restores.map(({ index }) => index))
    for (const { index, from, to, at } of found.restores) {
      notes.push(`RESTORE: leaf ${index} of ${at} declares leaves ${from} to ${to - 1} void`)
      if (!announced.has(index)) found.problems.push(`the service does not announce restore leaf ${index}`)
    }
    for (const [name, count] of found.unknown)
      notes.push(`${pluralize(count, 'leaf', 'leaves')} of ${name} are unknown to this program`)
    for (const { vkey, state } of found.logKeys) notes.push(`a key of the log was ${state}: ${vkey}`)
    notes.push(`${pluralize(found.tokenKeys, 'leaf', 'leaves')} of token keys`)
    requireNone([...found.problems, ...omitted(context, found)])
    memory?.learn(found.logKeys)
    return (
      `${pluralize(head.checkpoint.size, 'leaf', 'leaves')} result in the signed root: ` +
      `${pluralize(found.events, 'event')} of ${pluralize(found.agents.size, 'agent')}, no number missing or duplicate`
    )
  },
})

/** Leaves of the agent that its list omits, except void ones, and events that were not listed. */
function omitted({ reg, entries }: Context, { agents, restores }: WholeLog): string[] {
  if (!entries) return []
  const listed = new Set(entries.map(({ index }) => index))
  const { indexes = [], numbers = [] } = agents.get(reg) ?? {}
  const hasEvents = entries.some(({ leaf }) => leaf.kind === 'event')
  const events = new Set(numbers.flatMap(({ index, series }) => (series.startsWith('events') ? [index] : [])))
  const hidden = indexes.filter(
    (index) => !listed.has(index) && !isVoid(index, restores) && (hasEvents || !events.has(index)),
  )
  return hidden.length > 0 ? [`the list of ${reg} omits leaf ${ranges(hidden)}`] : []
}

/**
 * Reads all leaves of a log.
 *
 * @throws CheckFailed if they do not result in the signed root
 */
export async function readWholeLog(
  head: Pick<Head, 'checkpoint' | 'readBundle'>,
  sha256: Sha256 = webSha256,
): Promise<WholeLog> {
  const { origin, root } = head.checkpoint
  const found: WholeLog = {
    events: 0,
    restores: [],
    logKeys: [],
    tokenKeys: 0,
    unknown: new Map(),
    agents: new Map(),
    states: [],
    problems: [],
  }
  const tree = growingTree(sha256)
  let logOrigin: string | null = null
  for await (const { leaves, unknown, malformed } of readInto(tree, head, sha256)) {
    for (const [name, count] of unknown) found.unknown.set(name, (found.unknown.get(name) ?? 0) + count)
    found.problems.push(...malformed.map((index) => `leaf ${index} is not a valid leaf`))
    for (const { index, leaf } of leaves) {
      if (leaf.kind === 'log') logOrigin = leaf.origin
      if (index === 0 && leaf.kind !== 'log') found.problems.push('leaf 0 does not name the log')
      await addLeaf(found, index, leaf, logOrigin ?? origin)
    }
  }
  if (!sameBytes(await tree.root(), root))
    throw new CheckFailed('the leaves do not result in the signed root')
  if (logOrigin !== origin)
    found.problems.push(`the log names itself ${logOrigin ?? 'nothing'}, but its head is of ${origin}`)
  for (const { index, from, to } of found.restores)
    if (to > index)
      found.problems.push(`leaf ${index} declares leaves void that came after it: ${from} to ${to - 1}`)
  found.problems.push(...judgeNumbers(found.states, found.restores))
  for (const [reg, { numbers }] of found.agents)
    found.problems.push(...judgeNumbers(numbers, found.restores).map((problem) => `${reg}: ${problem}`))
  return found
}

/** Reads the leaves that a tree does not have yet, and appends them. */
export async function* readInto(
  tree: GrowingTree,
  { checkpoint, readBundle }: Pick<Head, 'checkpoint' | 'readBundle'>,
  sha256: Sha256,
): AsyncGenerator<LeafSummary> {
  const bundles = Math.ceil(checkpoint.size / TILE_WIDTH)
  for (let n = Math.floor(tree.size() / TILE_WIDTH); n < bundles; n += AHEAD) {
    const wanted = Array.from({ length: Math.min(AHEAD, bundles - n) }, (_, at) => readBundle(n + at))
    const first = tree.size()
    const entries = (await Promise.all(wanted)).flat().slice(first - n * TILE_WIDTH)
    for (const entry of entries) await tree.append(await hashLeaf(entry, sha256))
    yield readLeaves(entries, first)
  }
}

/** The leaves of a range, unverified. */
export async function* leavesIn({ readBundle }: Pick<Head, 'readBundle'>, { from, to }: Voided) {
  for (let n = Math.floor(from / TILE_WIDTH); n * TILE_WIDTH < to; n++)
    for (const found of readLeaves(await readBundle(n), n * TILE_WIDTH).leaves)
      if (found.index >= from && found.index < to) yield found
}

async function addLeaf(found: WholeLog, index: number, leaf: Leaf, origin: string): Promise<void> {
  if ('reg' in leaf) {
    const agent = found.agents.get(leaf.reg) ?? { indexes: [], numbers: [] }
    found.agents.set(leaf.reg, agent)
    agent.indexes.push(index)
    agent.numbers.push(...numbered({ index, leaf }))
    if (leaf.kind === 'event') found.events += 1
  } else if (leaf.kind === 'operator' || leaf.kind === 'platform')
    found.states.push(...numbered({ index, leaf }))
  else if (leaf.kind === 'restore') found.restores.push({ ...leaf, index })
  else if (leaf.kind === 'key' && leaf.use === 'token') found.tokenKeys += 1
  const move = await keyMove(leaf, origin)
  if (move) found.logKeys.push(move)
}

/** The key of the log that a leaf adds or removes; null for any other leaf. */
export async function keyMove(leaf: Leaf, origin: string): Promise<KeyMove | null> {
  if (leaf.kind !== 'key' || leaf.use !== 'log' || leaf.key.kty !== 'OKP') return null
  const publicKey = decodeBase64Url(leaf.key.x) ?? new Uint8Array(0)
  const { vkey } = await toVerifierKey(origin, SIGNATURE_TYPES.note, publicKey)
  return { vkey, state: leaf.state }
}
