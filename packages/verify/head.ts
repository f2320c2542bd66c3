import { utf8 } from '../../src/lib/crypto.ts'
import { logPath } from '../../src/lib/log-path.ts'
import {
  type CheckpointRejection,
  openCheckpoint,
  type TrustedCheckpoint,
} from '../../src/transparency/checkpoint.ts'
import { type Leaf, readLeaf } from '../../src/transparency/leaf.ts'
import type { Policy } from '../../src/transparency/policy.ts'
import { TILE_WIDTH, tilePath } from '../../src/transparency/tiles.ts'
import type { Voided } from './history.ts'
import { CannotTell, DoesNotHold } from './problems.ts'
import type { Service } from './service.ts'
import { openTree, type Tree } from './tree.ts'

const REJECTIONS: Record<CheckpointRejection, string> = {
  malformed: 'the head is not written as it must be',
  unknown_log: 'the head is of another log than the key',
  unsigned: 'the head is not signed by the key of the log',
  bad_signature: 'a signature of the head does not verify',
  too_few_witnesses: 'too few witnesses have seen the head',
}

/** What a service states about its log, `/log/info.json`; of nothing in it is it verified that it is there. */
export interface LogInfo {
  origin: string
  vkeys: string[]
  witnesses: { name: string; vkey: string }[]
  merge_delay_seconds: number
  restores: Listed[]
}

/** A leaf as a service lists it. */
export interface Listed {
  index: number
  /** Byte for byte. */
  leaf: string
}

/** The newest head of a log, verified. */
export interface Head {
  info: LogInfo
  checkpoint: TrustedCheckpoint
  tree: Tree
  /** Leaves that a later one has declared void. */
  voided: Voided[]
}

/**
 * Fetches the newest head and verifies its signatures, and that its tiles lead to its root.
 *
 * @param policyOf whose signatures count, given what the service says
 * @returns null when the service keeps no log
 * @throws DoesNotHold; CannotTell
 */
export async function openHead(
  service: Service,
  policyOf: (info: LogInfo) => Promise<Policy>,
): Promise<Head | null> {
  const info = (await service.ask('/log/info.json')) as LogInfo | null
  if (!info) return null
  const path = logPath(info.origin)
  if (!path) throw new CannotTell('The registry does not say where its log is.')
  const note = await service.get(`${path}/checkpoint`)
  if (!note) throw new CannotTell('The log has no signed head yet. Try again in a minute.')
  const { checkpoint, reason } = await openCheckpoint(await note.text(), await policyOf(info)).catch(explain)
  if (!checkpoint) throw new DoesNotHold(REJECTIONS[reason])
  const tree = await openTree(checkpoint, async (tile) => {
    // A log may drop a partial tile once the full one is there.
    for (const width of [tile.width, TILE_WIDTH]) {
      const response = await service.get(`${path}/${tilePath({ ...tile, width })}`)
      if (response) return new Uint8Array(await response.arrayBuffer())
    }
    throw new CannotTell('A tile of the log is missing.')
  })
  const voided: Voided[] = []
  for (const listed of info.restores) {
    const leaf = await readListed(tree, listed)
    if (leaf?.kind === 'restore' && leaf.to <= listed.index) voided.push(leaf)
    else if (leaf) throw new DoesNotHold(`leaf ${listed.index} is no restore leaf, as the registry says`)
  }
  return { info, checkpoint, tree, voided }
}

/**
 * Reads a leaf that a service lists.
 *
 * @returns null if it is beyond the end of the tree
 * @throws DoesNotHold if the tree has another leaf there, or what it has is no leaf
 */
export async function readListed(
  { size, requireLeaf }: Tree,
  { index, leaf: text }: Listed,
): Promise<Leaf | null> {
  if (index >= size) return null
  const bytes = utf8(text)
  await requireLeaf(index, bytes)
  const { leaf } = readLeaf(bytes)
  if (leaf) return leaf
  throw new DoesNotHold(`leaf ${index} is not written as a leaf is`)
}

function explain(error: unknown): never {
  if (!(error instanceof DOMException) || error.name !== 'NotSupportedError') throw error
  throw new CannotTell(
    'This browser cannot verify Ed25519 signatures: it takes Chrome 137, Firefox 129 or Safari 17.4, or newer.',
  )
}
