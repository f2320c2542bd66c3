import {
  consistencyPath,
  readLeaf,
  type TileReader,
  type TrustedCheckpoint,
  verifyConsistency,
} from '../../packages/verify/index.ts'
import { CheckFailed } from '../../packages/verify/problems.ts'
import { decodeBase64 } from '../../src/transparency/bytes.ts'
import { TILE_WIDTH } from '../../src/transparency/tiles.ts'
import type { Findings } from './findings.ts'
import { openHead } from './head.ts'
import type { State } from './state.ts'
import { nodeSha256, type VerifiedTree } from './tree.ts'
import { chooseKeys, readPolicy } from './trust.ts'
import type { Info } from './wire.ts'

/**
 * Verifies that a log with a new origin continues the log with the old one: one of its leaves contains the last signed
 * head of the old log, and everything before that leaf is the old tree.
 *
 * @returns a description of the succession
 * @throws CheckFailed when the new log does not continue the old one
 *
 * Source: transparency log, Restore, pause, end
 */
export async function requireSuccession(
  state: State,
  { origin, size, root }: TrustedCheckpoint,
  { previous_origins }: Info,
  reader: TileReader,
  tree: VerifiedTree,
  findings: Findings,
): Promise<string> {
  const before = previous_origins.find((one) => one.origin === state.origin)
  const index = before?.index
  if (typeof index !== 'number' || index >= size)
    throw new CheckFailed(`the log ${origin} does not state that it continues ${state.origin}`)
  const n = Math.floor(index / TILE_WIDTH)
  const bundle = await reader.readEntries(n, size)
  await tree.requireBundle(n, bundle)
  const { leaf } = readLeaf(bundle[index % TILE_WIDTH] ?? new Uint8Array(0))
  if (leaf?.kind !== 'log' || leaf.previous === undefined)
    throw new CheckFailed(`leaf ${index} does not name ${state.origin} as the previous log`)
  const known = await chooseKeys({ policy: await readPolicy(undefined) }, state, [])
  const old = await openHead(leaf.previous, known)
  const last = state.heads.at(-1)
  const oldRoot = last && decodeBase64(last.root)
  if (!last || !oldRoot) throw new Error('the state file names a head without a root')
  const words = `it continues ${state.origin}, which ended before leaf ${index}`
  const lost = Math.max(old.size, last.size) - index
  if (lost > 0)
    findings.note(`LOST: leaves ${index} to ${index + lost - 1}, which ${state.origin} had signed`)
  if (last.size > index) return words
  const path = await consistencyPath(last.size, size, tree.readTiles, nodeSha256)
  if (await verifyConsistency({ oldSize: last.size, oldRoot, size, root, path }, nodeSha256)) return words
  throw new CheckFailed(
    `the previous log was rewritten: its first ${last.size} leaves are different in ${origin}`,
  )
}
