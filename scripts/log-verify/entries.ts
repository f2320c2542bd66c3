import type { z } from 'zod'
import type { PlacedLeaf, Voided } from '../../packages/verify/history.ts'
import { type Leaf, type Opening, readLeaf, type TileReader } from '../../packages/verify/index.ts'
import { CheckFailed } from '../../packages/verify/problems.ts'
import { encodeText, sameBytes } from '../../src/transparency/bytes.ts'
import { TILE_WIDTH } from '../../src/transparency/tiles.ts'
import type { Client } from './client.ts'
import type { VerifiedTree } from './tree.ts'
import { entriesShape } from './wire.ts'

const PAGE = { stranger: 100, owner: 200 }

/** A leaf in the service's list of an agent, with its opening if that was included. */
export interface Entry {
  index: number
  /** The leaf, byte for byte. */
  text: string
  opening: Opening | null
}

/** The entries of one agent. */
export interface AgentEntries {
  indexes: number[]
  placed: (PlacedLeaf & { opening: Opening | null })[]
  /** How many leaves are unknown to this program, by version and kind. */
  unknown: Map<string, number>
  problems: string[]
}

/** Fetches all entries of an agent, in log order. */
export async function fetchEntries({ ask }: Client, reg: string, hasKey: boolean): Promise<Entry[]> {
  const entries: Entry[] = []
  const limit = hasKey ? PAGE.owner : PAGE.stranger
  for (let cursor = ''; ; ) {
    const page: z.infer<typeof entriesShape> = await ask(
      `/api/v1/agents/${reg}/log-entries?limit=${limit}&cursor=${encodeURIComponent(cursor)}`,
      entriesShape,
    )
    for (const { index, leaf, opening } of page.data) {
      const isNext = index > (entries.at(-1)?.index ?? -1)
      if (!isNext) throw new CheckFailed(`the entries are listed out of order: ${index} comes late`)
      entries.push({ index, text: leaf, opening: opening ?? null })
    }
    if (page.next_cursor === null) return entries
    if (page.data.length === 0) throw new Error('the listing of entries does not end')
    cursor = page.next_cursor
  }
}

/**
 * Verifies that each listed entry is, byte for byte, the leaf at its index in the signed tree.
 *
 * @throws CheckFailed that names the first entry that is not
 */
export async function requireInTree(
  entries: readonly Entry[],
  { readEntries }: TileReader,
  tree: VerifiedTree,
): Promise<void> {
  const bundles = Map.groupBy(entries, ({ index }) => Math.floor(index / TILE_WIDTH))
  await Promise.all(
    [...bundles].map(async ([n, listed]) => {
      const bundle = await readEntries(n, tree.size)
      await tree.requireBundle(n, bundle)
      for (const { index, text } of listed) {
        const bytes = encodeText(text)
        const leaf = bundle[index % TILE_WIDTH]
        if (bytes && leaf && sameBytes(bytes, leaf)) continue
        throw new CheckFailed(`entry ${index} is not the leaf at that position of the tree`)
      }
    }),
  )
}

/** Reads the entries of an agent; an entry of another agent, or that is not a leaf, is a problem. */
export function readEntries(reg: string, entries: readonly Entry[]): AgentEntries {
  const read: AgentEntries = {
    indexes: entries.map(({ index }) => index),
    placed: [],
    unknown: new Map(),
    problems: [],
  }
  for (const { index, text, opening } of entries) {
    const { leaf, ...why } = readLeaf(encodeText(text) ?? new Uint8Array(0))
    if (leaf && isOfAgent(leaf, reg)) read.placed.push({ index, leaf, opening })
    else if (leaf) read.problems.push(`entry ${index} is not of ${reg}`)
    else if (why.reason === 'unknown') {
      const name = `version ${why.version}, kind ${why.kind}`
      read.unknown.set(name, (read.unknown.get(name) ?? 0) + 1)
    } else read.problems.push(`entry ${index} is not a valid leaf`)
  }
  return read
}

/**
 * Finds the leaves that restore leaves declare void. The service states the indexes; the tree proves the content.
 *
 * @param indexes of restore leaves, according to the service
 * @throws CheckFailed when one of them is not a restore leaf
 */
export async function findVoided(
  indexes: readonly number[],
  { readEntries: readBundle }: TileReader,
  tree: VerifiedTree,
): Promise<Voided[]> {
  const voided: Voided[] = []
  for (const index of indexes.filter((at) => at < tree.size)) {
    const n = Math.floor(index / TILE_WIDTH)
    const bundle = await readBundle(n, tree.size)
    await tree.requireBundle(n, bundle)
    const { leaf } = readLeaf(bundle[index % TILE_WIDTH] ?? new Uint8Array(0))
    if (leaf?.kind !== 'restore' || leaf.to > index)
      throw new CheckFailed(`leaf ${index} is not a restore leaf`)
    voided.push({ from: leaf.from, to: leaf.to })
  }
  return voided
}

function isOfAgent(leaf: Leaf, reg: string): leaf is PlacedLeaf['leaf'] {
  return 'reg' in leaf && leaf.reg === reg
}
