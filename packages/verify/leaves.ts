import { decodeBase64Url, sameBytes } from '../../src/transparency/bytes.ts'
import { SIGNATURE_TYPES, toVerifierKey } from '../../src/transparency/keys.ts'
import { type Leaf, type LeafSummary, readLeaves } from '../../src/transparency/leaf.ts'
import { hashLeaf, type Sha256 } from '../../src/transparency/merkle.ts'
import { TILE_WIDTH } from '../../src/transparency/tiles.ts'
import type { Voided } from './entries.ts'
import type { GrowingTree } from './growing-tree.ts'
import type { Head } from './head.ts'
import { CheckFailed, pluralize } from './problems.ts'

const AHEAD = 12 // bundles under way

/** A key of the log that was added or removed, as a verifier key of its origin. */
export interface KeyMove {
  vkey: string
  state: 'added' | 'removed'
}

/** What leaves state about their log. */
export interface LogFacts {
  restores: (Voided & { index: number; at: string })[]
  keyMoves: KeyMove[]
  /** About leaves that this program does not know. */
  notes: string[]
  problems: string[]
}

type Readable = Pick<Head, 'checkpoint' | 'readBundle'>

/**
 * Reads the leaves of a log that a tree does not have yet, and appends them.
 *
 * @param tree the beginning of the log; it grows
 * @param add receives each valid leaf, in order
 * @throws CheckFailed if the tree then does not have the signed root
 *
 * Source: docs/use/transparency.md, "What is checked", 10
 */
export async function readNewLeaves(
  tree: GrowingTree,
  head: Readable,
  sha256: Sha256,
  add: (index: number, leaf: Leaf) => void,
): Promise<LogFacts> {
  const { origin, root } = head.checkpoint
  const found: LogFacts = { restores: [], keyMoves: [], notes: [], problems: [] }
  const unknown = new Map<string, number>()
  let named = tree.size() > 0 ? origin : null
  for await (const read of appendNew(tree, head, sha256)) {
    for (const [name, count] of read.unknown) unknown.set(name, (unknown.get(name) ?? 0) + count)
    for (const index of read.malformed) found.problems.push(`leaf ${index} is not a valid leaf`)
    for (const { index, leaf } of read.leaves) {
      if (leaf.kind === 'log') named = leaf.origin
      if (index === 0 && leaf.kind !== 'log') found.problems.push('leaf 0 does not name the log')
      if (leaf.kind === 'restore') found.restores.push({ ...leaf, index })
      const move = await keyMove(leaf, named ?? origin)
      if (move) found.keyMoves.push(move)
      add(index, leaf)
    }
  }
  if (!sameBytes(await tree.root(), root))
    throw new CheckFailed('the leaves do not result in the signed root')
  if (named !== origin)
    found.problems.push(`the log names itself ${named ?? 'nothing'}, but its head is of ${origin}`)
  for (const [name, count] of unknown)
    found.notes.push(`${pluralize(count, 'leaf', 'leaves')} of ${name} are unknown to this program`)
  return found
}

/** The restores of a log that its service does not announce. */
export function unannounced({ info }: Pick<Head, 'info'>, { restores }: LogFacts): string[] {
  const announced = new Set(info.restores.map(({ index }) => index))
  return restores
    .filter(({ index }) => !announced.has(index))
    .map(({ index }) => `the service does not announce restore leaf ${index}`)
}

async function* appendNew(
  tree: GrowingTree,
  { checkpoint, readBundle }: Readable,
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

/** The key of the log that a leaf adds or removes; null for any other leaf. */
export async function keyMove(leaf: Leaf, origin: string): Promise<KeyMove | null> {
  if (leaf.kind !== 'key' || leaf.use !== 'log' || leaf.key.kty !== 'OKP') return null
  const publicKey = decodeBase64Url(leaf.key.x) ?? new Uint8Array(0)
  const { vkey } = await toVerifierKey(origin, SIGNATURE_TYPES.note, publicKey)
  return { vkey, state: leaf.state }
}
