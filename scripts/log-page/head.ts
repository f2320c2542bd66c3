import {
  type CheckpointRefusal,
  openCheckpoint,
  type Policy,
  parsePolicy,
  readLeaf,
  type TrustedCheckpoint,
  tileReader,
} from '../../packages/verify/index.ts'
import { logPath } from '../../src/lib/log-path.ts'
import { isObject } from '../../src/transparency/bytes.ts'
import { TILE_WIDTH } from '../../src/transparency/tiles.ts'
import { DoesNotHold } from '../log-verify/findings.ts'
import type { Voided } from '../log-verify/history.ts'
import { CannotTell, type Service } from './service.ts'
import { type Tree, treeOf } from './tree.ts'

const MAX_DELAY_MS = 120_000 // what is promised: a service cannot give itself more

const REFUSALS: Record<CheckpointRefusal, string> = {
  malformed: 'the head is not written as it must be',
  unknown_log: 'the head is of another log than the key',
  unsigned: 'the head is not signed by the key of the log',
  bad_signature: 'a signature of the head does not verify',
  too_few_witnesses: 'too few witnesses have seen the head',
}

/** The newest head of a log, verified. */
export interface Head {
  checkpoint: TrustedCheckpoint
  tree: Tree
  /** As the service names them. */
  vkeys: string[]
  /** Every witness that the service names; `time`: when it saw this head, Unix seconds, null when it has not. */
  witnesses: { name: string; time: number | null }[]
  /** Leaves that a later one has declared void. */
  voided: Voided[]
  /** How long an event may take into the log. */
  delayMs: number
  seenAt: Date
}

/**
 * Fetches the newest head and verifies its signatures, and that its tiles lead to its root.
 *
 * @param pinned the key to verify it by; empty: the one that the service names
 * @returns null when the service keeps no log
 * @throws DoesNotHold; CannotTell
 */
export async function openHead(service: Service, pinned = ''): Promise<Head | null> {
  const info = await service.ask('/log/info.json')
  if (!info) return null
  const path = logPath(String(info.origin))
  if (path === null) throw new CannotTell('The registry does not say where its log is.')
  const response = await service.get(`${path}/checkpoint`)
  if (response.status === 404) throw new CannotTell('The log has no signed head yet. Try again in a minute.')
  if (!response.ok) throw new CannotTell(`The registry answers with status ${response.status}.`)
  const seenAt = new Date()
  const note = await response.text()
  const vkeys = textsOf(info.vkeys)
  const named = listOf(info.witnesses).map(({ name, vkey }) => ({ name: String(name), vkey: String(vkey) }))
  const policy = await toPolicy(pinned === '' ? vkeys : [pinned], named)
  const { checkpoint, reason } = await openCheckpoint(note, policy).catch(explained)
  if (!checkpoint) throw new DoesNotHold(REFUSALS[reason])
  const reader = tileReader(path, (url) => service.get(url))
  const tree = await treeOf(checkpoint, reader.readTiles)
  const times = new Map(checkpoint.witnesses.map(({ name, time }) => [name, time]))
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
    checkpoint,
    tree,
    vkeys,
    witnesses: named.map(({ name }, at) => ({ name, time: times.get(`w${at}`) ?? null })),
    voided,
    delayMs: Math.min(MAX_DELAY_MS, 1000 * Number(info.merge_delay_seconds ?? 0)),
    seenAt,
  }
}

async function toPolicy(vkeys: readonly string[], witnesses: readonly { vkey: string }[]): Promise<Policy> {
  const lines = [
    ...vkeys.map((vkey) => `log ${vkey}`),
    ...witnesses.map(({ vkey }, at) => `witness w${at} ${vkey}`),
    'quorum none',
  ]
  try {
    return await parsePolicy(lines.join('\n'))
  } catch (error) {
    throw new CannotTell(`A key cannot be read (${error instanceof Error ? error.message : error}).`)
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
