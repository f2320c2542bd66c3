import { logPath } from '../../src/lib/log-path.ts'
import { isObject } from '../../src/transparency/bytes.ts'
import {
  type CheckpointRejection,
  openCheckpoint,
  type TrustedCheckpoint,
} from '../../src/transparency/checkpoint.ts'
import { readLeaf } from '../../src/transparency/leaf.ts'
import type { Policy } from '../../src/transparency/policy.ts'
import { TILE_WIDTH } from '../../src/transparency/tiles.ts'
import type { Voided } from './history.ts'
import { CannotTell, DoesNotHold } from './problems.ts'
import type { Service } from './service.ts'
import { tileReader } from './tiles.ts'
import { type Tree, treeOf } from './tree.ts'

const MAX_DELAY_MS = 120_000 // what is promised: a service cannot give itself more

const REJECTIONS: Record<CheckpointRejection, string> = {
  malformed: 'the head is not written as it must be',
  unknown_log: 'the head is of another log than the key',
  unsigned: 'the head is not signed by the key of the log',
  bad_signature: 'a signature of the head does not verify',
  too_few_witnesses: 'too few witnesses have seen the head',
}

/** What a service says of its log: hints, of which nothing is believed unseen. */
export interface LogInfo {
  vkeys: string[]
  witnesses: { name: string; vkey: string }[]
}

/** The newest head of a log, verified. */
export interface Head extends LogInfo {
  checkpoint: TrustedCheckpoint
  tree: Tree
  /** Leaves that a later one has declared void. */
  voided: Voided[]
  /** How long an event may take into the log. */
  delayMs: number
  seenAt: Date
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
  const info = await service.ask('/log/info.json')
  if (!info) return null
  const path = logPath(String(info.origin))
  if (path === null) throw new CannotTell('The registry does not say where its log is.')
  const response = await service.get(`${path}/checkpoint`)
  if (response.status === 404) throw new CannotTell('The log has no signed head yet. Try again in a minute.')
  if (!response.ok) throw new CannotTell(`The registry responds with status ${response.status}.`)
  const seenAt = new Date()
  const note = await response.text()
  const told = {
    vkeys: textsOf(info.vkeys),
    witnesses: listOf(info.witnesses).map(({ name, vkey }) => ({ name: String(name), vkey: String(vkey) })),
  }
  const { checkpoint, reason } = await openCheckpoint(note, await policyOf(told)).catch(explained)
  if (!checkpoint) throw new DoesNotHold(REJECTIONS[reason])
  const reader = tileReader(path, (url) => service.get(url))
  const tree = await treeOf(checkpoint, reader.readTiles)
  const voided: Voided[] = []
  for (const { index } of listOf(info.restores)) {
    if (typeof index !== 'number' || index >= tree.size) continue
    const bytes = (await reader.readEntries(Math.floor(index / TILE_WIDTH), tree.size))[index % TILE_WIDTH]
    if (bytes) await tree.requireLeaf(index, bytes)
    const { leaf } = readLeaf(bytes ?? new Uint8Array(0))
    if (leaf?.kind !== 'restore' || leaf.to > index)
      throw new DoesNotHold(`leaf ${index} is no restore leaf, as the registry says`)
    voided.push({ from: leaf.from, to: leaf.to })
  }
  return {
    ...told,
    checkpoint,
    tree,
    voided,
    delayMs: Math.min(MAX_DELAY_MS, 1000 * Number(info.merge_delay_seconds ?? 0)),
    seenAt,
  }
}

function explained(error: unknown): never {
  if (!(error instanceof DOMException) || error.name !== 'NotSupportedError') throw error
  throw new CannotTell(
    'This browser cannot verify Ed25519 signatures: it takes Chrome 137, Firefox 129 or Safari 17.4, or newer.',
  )
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : []
}
