import { createHash, randomBytes } from 'node:crypto'
import { calculateJwkThumbprint } from 'jose'
import type { WitnessKey } from '../../../local/stand-ins/witness/key.ts'
import { growingTree } from '../../../packages/verify/growing-tree.ts'
import { commit, type Opening } from '../../../packages/verify/opening.ts'
import { encodeBase64Url } from '../../../src/transparency/bytes.ts'
import { formatCheckpoint } from '../../../src/transparency/checkpoint.ts'
import { makeSignerKey, parseSignerKey, type SignerKey } from '../../../src/transparency/keys.ts'
import { type Leaf, leafBytes } from '../../../src/transparency/leaf.ts'
import { type Hash, hashLeaf, type Sha256 } from '../../../src/transparency/merkle.ts'
import { signNote } from '../../../src/transparency/note.ts'
import { dayLeaf, type StoredAgent, type StoredEvent } from './agent.ts'

const KEYS_AT = '2026-01-02T03:04:05.678Z'
const SEED = randomBytes(32).toString('hex')
/** The operator of all agents. */
export const OPERATOR = '01a1fc89-cf65-7e90-91f2-582afd126701'
const KEEPER = '01a1fc89-cf65-7e90-91f2-582afd126702'
const sha256: Sha256 = (bytes) => new Uint8Array(createHash('sha256').update(bytes).digest())

/** A stored leaf with its opening; that of an event is computed from its row. */
interface StoredLeaf {
  bytes: Uint8Array<ArrayBuffer>
  leaf: Leaf | null
  opening: Opening | null
}

/** A signed head. */
export interface SignedHead {
  size: number
  root: Hash
  note: string
}

/** A log in memory, which a test can falsify. */
export interface TestLog {
  origin: string
  vkey: string
  signer: SignerKey
  agents: Map<string, StoredAgent>
  leaves: StoredLeaf[]
  head: SignedHead
  witnesses: WitnessKey[]
  previous: { origin: string; index: number }[]
}

/** Creates a log with its first leaf. */
export async function newTestLog(origin = 'registry.example/log'): Promise<TestLog> {
  const { skey, vkey } = await makeSignerKey(origin)
  const signer = await parseSignerKey(skey)
  if (!signer) throw new Error('the key does not parse')
  const log: TestLog = {
    origin,
    vkey,
    signer,
    agents: new Map(),
    leaves: [],
    head: { size: 0, root: new Uint8Array(0), note: '' },
    witnesses: [],
    previous: [],
  }
  append(log, { v: 1, kind: 'log', origin, spec: 'https://registry.example/transparency' })
  return log
}

/** Appends a leaf to the log. */
export function append(log: TestLog, leaf: Leaf, opening: Opening | null = null): void {
  log.leaves.push({ bytes: leafBytes(leaf), leaf, opening })
}

/** Appends what the sources of all events depend on: both operators are verified, and the platform is established. */
export function appendStates(log: TestLog): void {
  const at = KEYS_AT
  for (const operator of [OPERATOR, KEEPER])
    append(log, { v: 1, kind: 'operator', operator, rev: 1, state: 'verified', at })
  for (const [index, state] of (['registered', 'established'] as const).entries())
    append(log, {
      v: 1,
      kind: 'platform',
      platform: 'acme',
      rev: index + 1,
      operator: KEEPER,
      state,
      at,
      by: index === 1 ? [OPERATOR] : [],
    })
}

/** Appends arbitrary bytes to the log. */
export function appendBytes(log: TestLog, text: string): void {
  log.leaves.push({ bytes: new TextEncoder().encode(text), leaf: null, opening: null })
}

/** Logs a revision of an agent with its current profile. */
export async function appendAgent(log: TestLog, agent: StoredAgent, rev: number): Promise<void> {
  const { profile } = agent
  agent.revision = rev
  const { name, ...shown } = profile
  const { c, opening } = await sealed(log.leaves.length, shown, { name })
  append(log, { v: 1, kind: 'agent', reg: profile.reg, rev, c }, opening)
}

/** Logs the opening of an incident on a day, or its resolution. */
export async function appendIncident(
  log: TestLog,
  { profile: { reg }, incidents }: StoredAgent,
  [id, day]: [id: string, day: string],
  rev: number,
): Promise<void> {
  if (rev === 1) incidents.push(day)
  const shown = {
    incident_id: id,
    reg,
    created_at: `${day}T12:00:00.000Z`,
    status: rev === 1 ? 'open' : 'resolved',
  }
  const { c, opening } = await sealed(log.leaves.length, shown, { title: 'Slow' })
  append(log, { v: 1, kind: 'incident', reg, id, rev, c }, opening)
}

/** Logs a key of an agent that is revoked, and another one that is not. */
export async function appendKeys(log: TestLog, { profile: { reg } }: StoredAgent): Promise<void> {
  for (const states of [['added', 'revoked'], ['added']] as const) {
    const key = { crv: 'Ed25519', kty: 'OKP', x: encodeBase64Url(randomBytes(32)) } as const
    const facts = { v: 1, kind: 'agent_key', reg, kid: await calculateJwkThumbprint(key) } as const
    for (const [at, state] of states.entries()) {
      const reason = state === 'revoked' ? 'rotated' : null
      append(log, { ...facts, rev: at + 1, key, state, reason, at: KEYS_AT, until: null })
    }
  }
}

/** Logs events of an agent. */
export async function appendEvents(
  log: TestLog,
  { profile, events }: StoredAgent,
  from: number,
): Promise<void> {
  for (const event of events.slice(from - 1)) {
    const { c } = await sealedEvent(event, log.leaves.length)
    append(log, { v: 1, kind: 'event', reg: profile.reg, seq: event.seq, c })
  }
}

/** Logs days from the stored data. */
export function appendDays(log: TestLog, agent: StoredAgent, days: readonly string[]): void {
  for (const day of days) {
    const leaf = dayLeaf(agent, day)
    if (leaf) append(log, leaf)
  }
}

/** Signs the current tree, with cosignatures of its witnesses. */
export async function sign(log: TestLog): Promise<SignedHead> {
  const { origin, leaves, signer, witnesses } = log
  const root = await rootOf(leaves)
  const text = formatCheckpoint({ origin, size: leaves.length, root })
  const time = Math.floor(Date.now() / 1000)
  const lines = witnesses.map((witness) => witness.cosign(text, time))
  log.head = { size: leaves.length, root, note: (await signNote(text, [signer])) + lines.join('') }
  return log.head
}

/** The hashes of a level of the tree: of the leaves, or of the full tiles one level below. */
export async function levelOf({ leaves, head }: TestLog, level: number): Promise<Hash[]> {
  const signed = leaves.slice(0, head.size)
  if (level === 0) return Promise.all(signed.map(({ bytes }) => hashLeaf(bytes, sha256)))
  if (level > 1) return []
  const full = Array.from({ length: Math.floor(signed.length / 256) }, (_, n) => n * 256)
  return Promise.all(full.map((at) => rootOf(signed.slice(at, at + 256))))
}

/** The opening of a leaf, computed from the current row as the service does; null if there is none. */
export async function openingOf(log: TestLog, index: number): Promise<Opening | null> {
  const { leaf = null, opening = null } = log.leaves[index] ?? {}
  if (leaf?.kind !== 'event') return opening
  const event = log.agents.get(leaf.reg)?.events.find(({ seq }) => seq === leaf.seq)
  if (!event) return null
  const { salt, facts, ...hideable } = (await sealedEvent(event, index)).opening
  return event.redacted ? { salt, facts } : { salt, facts, ...hideable }
}

const sealedEvent = (
  { id, event_type, severity, reported_by, source, platform, created_at, metadata }: StoredEvent,
  index: number,
) =>
  sealed(index, { id, event_type, severity, reported_by, source, platform, created_at }, metadata, 'metadata')

const saltOf = (part: string, index: number) =>
  createHash('sha256').update(`${SEED}${part}${index}`).digest().subarray(0, 16)

/** The commitment to facts that end with the commitment to `content`, and what opens both. */
async function sealed(
  index: number,
  shown: object,
  content: object,
  name: 'metadata' | 'texts' = 'texts',
): Promise<{ c: string; opening: Opening }> {
  const [salt, inner] = [saltOf('f', index), saltOf('m', index)]
  const text = JSON.stringify(content)
  const facts = JSON.stringify({ ...shown, [name]: await commit(inner, text) })
  const c = await commit(salt, facts)
  if (c === null) throw new Error('facts that have no UTF-8')
  const opened = { [`${name}_salt`]: encodeBase64Url(inner), [name]: text }
  return { c, opening: { salt: encodeBase64Url(salt), facts, ...opened } }
}

async function rootOf(leaves: readonly StoredLeaf[]): Promise<Hash> {
  const tree = growingTree(sha256)
  for (const { bytes } of leaves) await tree.append(await hashLeaf(bytes, sha256))
  return tree.root()
}
