import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PlacedLeaf } from '../../packages/verify/history.ts'
import {
  formatProof,
  inclusionPath,
  type Opening,
  openLeaf,
  verifyProof,
} from '../../packages/verify/index.ts'
import { leafBytes } from '../../src/transparency/leaf.ts'
import { type Findings, PartFailed } from './findings.ts'
import { REJECTIONS } from './head.ts'
import { nodeSha256, type VerifiedTree } from './tree.ts'
import { chooseKeys, readPolicy } from './trust.ts'
import { openingShape } from './wire.ts'

const PROOF = '.tlog-proof'
const OPENING = '.opening.json'

/**
 * Creates the folder of `--save`, before the verification starts.
 *
 * @throws Error that names the folder
 */
export function makeFolder(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true })
  } catch (cause) {
    throw new Error(`--save ${dir}: ${cause instanceof Error ? cause.message : cause}`)
  }
}

/**
 * Writes a proof of each leaf, and its opening next to it; with the key of the log, they can be verified offline.
 *
 * @returns how many proofs
 */
export async function saveProofs(
  dir: string,
  note: string,
  tree: VerifiedTree,
  placed: readonly (PlacedLeaf & { opening: Opening | null })[],
): Promise<number> {
  for (const { index, leaf, opening } of placed) {
    const path = await inclusionPath(index, tree.size, tree.readTiles, nodeSha256)
    const file = join(dir, fileOf(leaf, index))
    writeFileSync(file + PROOF, formatProof({ leaf: leafBytes(leaf), index, path, note }))
    if (opening) writeFileSync(file + OPENING, `${JSON.stringify(opening, null, 2)}\n`)
  }
  return placed.length
}

/**
 * Verifies a saved proof, and the opening next to it, offline.
 *
 * @throws Error when the file cannot be read, or the key is invalid
 */
export async function verifyOffline(
  requested: { file: string; vkey?: string | undefined; witness?: string | undefined },
  findings: Findings,
): Promise<void> {
  const { policy } = await chooseKeys(
    { vkey: requested.vkey, policy: await readPolicy(requested.witness) },
    null,
    [],
  )
  if (policy.logs.length === 0)
    throw new Error(`${requested.witness}: names no log; give --vkey, or add a line "log <vkey>"`)
  const text = readFileSync(requested.file, 'utf8')
  const verified = await verifyProof(text, policy)
  if (verified.reason !== null)
    throw new PartFailed('proof', `${requested.file}: ${REJECTIONS[verified.reason]}`)
  const { index, bytes, read, checkpoint } = verified
  const seen = checkpoint.witnesses.map(({ name }) => name)
  findings.check('checkpoint', `${checkpoint.origin} has signed ${checkpoint.size} leaves`)
  if (seen.length > 0) findings.check('witnesses', seen.join(', '))
  findings.check('proof', `leaf ${index}: ${new TextDecoder().decode(bytes)}`)
  if (!read.leaf) return findings.note(`a leaf of this kind is unknown to this program (${read.reason})`)
  const beside = requested.file.endsWith(PROOF) ? requested.file.slice(0, -PROOF.length) + OPENING : null
  if (beside === null || !existsSync(beside)) return
  const opening = openingShape.safeParse(parseJson(readFileSync(beside, 'utf8')))
  if (!opening.success) throw new PartFailed('opening', `${beside} is not an opening`)
  const opened = await openLeaf(read.leaf, opening.data, nodeSha256)
  if (opened.reason !== null)
    throw new PartFailed('opening', `${beside} does not open this leaf (${opened.reason})`)
  findings.check('opening', opening.data.facts)
  if (opening.data.metadata !== undefined) findings.check('metadata', opening.data.metadata)
}

function fileOf(leaf: PlacedLeaf['leaf'], index: number): string {
  const numbered = 'seq' in leaf && leaf.kind !== 'day' ? leaf.seq : 'rev' in leaf ? leaf.rev : ''
  const of = leaf.kind === 'incident' ? `${leaf.id}-` : leaf.kind === 'day' ? `${leaf.day}-` : ''
  return `${leaf.reg}-${leaf.kind}-${of}${numbered}-at-${index}`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
