import { isVoid, judgeHistory, type Numbered, numbered, type Voided } from '../../packages/verify/history.ts'
import {
  growingTree,
  type Hash,
  hashLeaf,
  type Leaf,
  readLeaves,
  type TileReader,
} from '../../packages/verify/index.ts'
import { CheckFailed } from '../../packages/verify/problems.ts'
import { decodeBase64Url, sameBytes } from '../../src/transparency/bytes.ts'
import { SIGNATURE_TYPES, toVerifierKey } from '../../src/transparency/keys.ts'
import { TILE_WIDTH } from '../../src/transparency/tiles.ts'
import { nodeSha256 } from './tree.ts'

const AHEAD = 12 // bundles under way

/** The content of the whole log. */
export interface Monitored {
  agents: number
  events: number
  restores: (Voided & { index: number; at: string })[]
  /** Keys of the log that were added or removed, as verifier keys of its origin. */
  logKeys: { vkey: string; state: 'added' | 'removed' }[]
  tokenKeys: number
  unknown: Map<string, number>
  /** The indexes of the leaves of each agent. */
  indexes: Map<string, number[]>
  problems: string[]
}

/**
 * Reads every leaf of the log, computes the root from them, and checks the numbers of all agents.
 *
 * @throws CheckFailed when the leaves do not result in the signed root
 *
 * Source: transparency log, The verifier, 6
 */
export async function monitorLog(
  { origin, size, root }: { origin: string; size: number; root: Hash },
  { readEntries }: Pick<TileReader, 'readEntries'>,
): Promise<Monitored> {
  const found: Monitored = {
    agents: 0,
    events: 0,
    restores: [],
    logKeys: [],
    tokenKeys: 0,
    unknown: new Map(),
    indexes: new Map(),
    problems: [],
  }
  const tree = growingTree(nodeSha256)
  const histories = new Map<string, Numbered[]>()
  let logLeaf: Extract<Leaf, { kind: 'log' }> | null = null
  const bundles = Math.ceil(size / TILE_WIDTH)
  for (let from = 0; from < bundles; from += AHEAD) {
    const numbers = Array.from({ length: Math.min(AHEAD, bundles - from) }, (_, at) => from + at)
    const read = await Promise.all(numbers.map((n) => readEntries(n, size)))
    for (const [at, entries] of read.entries()) {
      for (const entry of entries) await tree.append(await hashLeaf(entry, nodeSha256))
      const { leaves, unknown, malformed } = readLeaves(entries, (from + at) * TILE_WIDTH)
      for (const [name, count] of unknown) found.unknown.set(name, (found.unknown.get(name) ?? 0) + count)
      found.problems.push(...malformed.map((index) => `leaf ${index} is not a valid leaf`))
      for (const { index, leaf } of leaves) {
        if ('reg' in leaf) {
          const of = numbered({ index, leaf })
          if (of) push(histories, leaf.reg, of)
          push(found.indexes, leaf.reg, index)
          if (leaf.kind === 'event') found.events += 1
        } else if (leaf.kind === 'log') logLeaf = leaf
        else if (leaf.kind === 'restore') found.restores.push({ ...leaf, index })
        else if (leaf.use === 'token') found.tokenKeys += 1
        else if (leaf.key.kty === 'OKP') {
          const publicKey = decodeBase64Url(leaf.key.x) ?? new Uint8Array(0)
          const { vkey } = await toVerifierKey(logLeaf?.origin ?? origin, SIGNATURE_TYPES.note, publicKey)
          found.logKeys.push({ vkey, state: leaf.state })
        }
        if (index === 0 && leaf.kind !== 'log') found.problems.push('leaf 0 does not name the log')
      }
    }
  }
  if (!sameBytes(await tree.root(), root))
    throw new CheckFailed('the leaves do not result in the signed root')
  if (logLeaf?.origin !== origin)
    found.problems.push(
      `the first leaf names the log ${logLeaf?.origin ?? 'nothing'}, but its head is of ${origin}`,
    )
  for (const { index, from, to } of found.restores)
    if (to > index)
      found.problems.push(`leaf ${index} declares leaves void that came after it: ${from} to ${to - 1}`)
  for (const [reg, history] of histories)
    found.problems.push(...judgeHistory(history, found.restores).map((problem) => `${reg}: ${problem}`))
  found.agents = found.indexes.size
  return found
}

/** Entries of an agent that its list omits, except void ones. */
export function hiddenEntries(found: Monitored, reg: string, listed: ReadonlySet<number>): number[] {
  return (found.indexes.get(reg) ?? []).filter(
    (index) => !listed.has(index) && !isVoid(index, found.restores),
  )
}

function push<T>(lists: Map<string, T[]>, name: string, value: T): void {
  const list = lists.get(name)
  if (list) list.push(value)
  else lists.set(name, [value])
}
