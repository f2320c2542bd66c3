import { utf8 } from '../../src/lib/crypto.ts'
import { logPath } from '../../src/lib/log-path.ts'
import { parseObject } from '../../src/transparency/bytes.ts'
import type { Checkpoint } from '../../src/transparency/checkpoint.ts'
import type { Leaf } from '../../src/transparency/leaf.ts'
import { TILE_WIDTH, tilePath } from '../../src/transparency/tiles.ts'
import type { Voided } from './history.ts'
import { CheckFailed, differenceOf, Inconclusive } from './problems.ts'
import type { Service } from './service.ts'
import { openTree, type Tree } from './tree.ts'

/** What a service states about its log in `/log/info.json`, unverified. */
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
  /** The exact text that is hashed. */
  leaf: string
}

/** The newest head of a log, verified. */
export interface Head {
  info: LogInfo
  checkpoint: Checkpoint
  tree: Tree
  /** Ranges of leaves that a later leaf has declared void. */
  voided: Voided[]
}

/** The fields of each listed kind of leaf, in order. */
const LEAF_FIELDS = {
  agent: 'v,kind,reg,rev,c',
  day: 'v,kind,reg,day,rev,seq,rows,score',
  restore: 'v,kind,from,to,at',
} as const
export type ListedKind = keyof typeof LEAF_FIELDS

/**
 * Fetches the newest head and verifies its signatures, and that its tiles lead to its root.
 *
 * @param open verifies the note of a head, given the unverified statement of the service
 * @returns null if the service has no log
 * @throws CheckFailed; Inconclusive
 */
export async function openHead(
  service: Service,
  open: (note: string, info: LogInfo) => Promise<Checkpoint>,
): Promise<Head | null> {
  const info = (await service.fetchJson('/log/info.json')) as LogInfo | null
  if (!info) return null
  const path = logPath(info.origin)
  const note = path && (await service.get(`${path}/checkpoint`))
  if (!note) throw new Inconclusive('the log has no signed head yet: try again later')
  const checkpoint = await open(await note.text(), info)
  const tree = await openTree(checkpoint, async (tile) => {
    // A log may delete a partial tile once the full one exists.
    for (const width of [tile.width, TILE_WIDTH]) {
      const response = await service.get(`${path}/${tilePath({ ...tile, width })}`)
      if (response) return response.arrayBuffer()
    }
    throw new Inconclusive('a tile of the log is missing')
  })
  const voided: Voided[] = []
  for (const listed of info.restores) {
    const leaf = await readListed(tree, { kind: 'restore' }, listed)
    if (leaf && leaf.to > listed.index) throw new CheckFailed(`leaf ${listed.index} declares later ones void`)
    if (leaf) voided.push(leaf)
  }
  return { info, checkpoint, tree, voided }
}

/**
 * Reads a leaf that a service lists.
 *
 * @param stated fields and values that the leaf must have
 * @returns null if it is beyond the end of the tree
 * @throws CheckFailed if the tree has another leaf at its index, or it is not a canonical leaf of that kind. The caller
 * must verify the values of its fields
 *
 * Source: transparency log, Leaves.
 */
export async function readListed<Kind extends ListedKind>(
  tree: Tree,
  stated: { kind: Kind; reg?: string },
  { index, leaf: text }: Listed,
): Promise<Extract<Leaf, { kind: Kind }> | null> {
  if (index >= tree.size) return null
  await tree.requireLeaf(index, utf8(text))
  const leaf = parseObject(text) ?? {}
  const isExact = JSON.stringify(leaf) === text && Object.keys(leaf).join() === LEAF_FIELDS[stated.kind]
  if (isExact && !differenceOf(leaf, { v: 1, ...stated })) return leaf as Extract<Leaf, { kind: Kind }>
  throw new CheckFailed(`leaf ${index} is not a valid leaf for ${Object.values(stated).join(' ')}`)
}
