import { logPath } from '../../src/lib/log-path.ts'
import { encodeBase64 } from '../../src/transparency/bytes.ts'
import {
  type OpenedCheckpoint,
  openCheckpoint,
  type TrustedCheckpoint,
} from '../../src/transparency/checkpoint.ts'
import { parseVerifierKey, type VerifierKey } from '../../src/transparency/keys.ts'
import type { Leaf } from '../../src/transparency/leaf.ts'
import type { Policy } from '../../src/transparency/policy.ts'
import type { Check, Context } from './checks.ts'
import { readListed, type Voided } from './entries.ts'
import { JWKS_PATH, type JwkSet } from './keys.ts'
import { CheckFailed, Inconclusive, requireSame } from './problems.ts'
import { tileReader } from './tiles.ts'
import type { Claims } from './token.ts'
import { openTree, type Tree } from './tree.ts'

/** Maximum time until something is under a signed head, whatever the service states. */
export const MERGE_DELAY_MS = 120_000
export const CLOCK_TOLERANCE_MS = 60_000

/** The signature of the log is enough. */
export const NO_WITNESSES: Policy = { logs: [], witnesses: [], groups: new Map(), quorum: 'none' }

/** What a service states about its log in `/log/info.json`, unverified. */
export interface LogInfo {
  origin: string
  vkeys: string[]
  witnesses: { name: string; vkey: string }[]
  /** Leaves of keys of the log and of tokens. */
  keys: Listed[]
  /** Leaves that declare others void. */
  restores: Listed[]
  previous_origins: { origin: string; index: number | null }[]
}

type KeyLeaf = Extract<Leaf, { kind: 'key' }>

/** A leaf as a service lists it. */
export interface Listed {
  index: number
  /** The exact text that is hashed. */
  leaf: string
}

/** Verifies the note of a head, given the unverified statement of the service. */
export type OpenHead = (
  note: string,
  info: LogInfo,
) => Promise<
  OpenedCheckpoint & {
    /** Names of witnesses, at least one of which should have cosigned the head. */
    askedFor?: string[]
  }
>

/** The newest head of a log, verified. */
export interface Head {
  info: LogInfo
  note: string
  checkpoint: TrustedCheckpoint
  tree: Tree
  /** Fetches the leaves of a bundle, unverified. */
  readBundle(n: number): Promise<Uint8Array<ArrayBuffer>[]>
  /** Keys that were added or removed, oldest first. */
  keys: KeyLeaf[]
  /** Ranges of leaves that a later leaf has declared void. */
  voided: Voided[]
  /** When it was fetched. */
  seenAt: Date
}

/** Opens the newest signed head of the log, whose tree must extend the tree of the head in the token. */
export const headCheck: Check = {
  name: 'checkpoint',
  async verify(context) {
    const { claims, notes, openCheckpoint, memory } = context
    const open = openCheckpoint ?? memory?.openCheckpoint
    const { askedFor, ...head } = await openHead(context, open ?? openUnpinned)
    const { origin, size } = head.checkpoint
    if (claims) {
      const stated = claims.log
      if (!stated) throw new CheckFailed('the token names no head of the log')
      requireSame('the log of the token', stated, { origin })
      if (stated.size > size)
        throw new Inconclusive('the checkpoint is older than the token: try again later')
      const root = encodeBase64(await head.tree.rootAt(stated.size))
      requireSame('the log of the token', stated, { root })
      requireLogged(claims, head.keys)
    }
    for (const { from, to } of head.voided)
      notes.push(`RESTORE: leaves ${from} to ${to - 1} are no longer valid`)
    context.head = head
    context.witnesses = head.checkpoint.witnesses.map(({ name }) => name)
    const names = context.witnesses.join(', ')
    if (names === '' && askedFor.length > 0)
      throw new Inconclusive(
        `the head is not cosigned by any witness of ${askedFor.join(', ')}, so others may see another log: try again later`,
      )
    const by = open ? '' : ', signed by a key taken from the registry itself'
    return `${origin}, leaves: ${size}, ${names === '' ? 'not witnessed' : `cosigned by ${names}`}${by}`
  },
}

/** When a head was fetched. */
export type Seen = Pick<Head, 'seenAt'>

/** Whether something of this time need not be under a head yet. */
export function isRecent({ seenAt }: Seen, time: unknown): boolean {
  const age = seenAt.getTime() - Date.parse(String(time))
  return age >= -CLOCK_TOLERANCE_MS && age <= MERGE_DELAY_MS + CLOCK_TOLERANCE_MS
}

/**
 * Fetches the newest head and verifies its signatures, and that its tiles lead to its root.
 *
 * @throws CheckFailed; Inconclusive
 */
async function openHead({ service }: Context, open: OpenHead): Promise<Head & { askedFor: string[] }> {
  const seenAt = new Date()
  const info = (await service.fetchJson('/log/info.json')) as LogInfo | null
  if (!info) throw new Inconclusive('the registry has no transparency log')
  const path = logPath(info.origin)
  const response = path === null ? null : await service.get(`${path}/checkpoint`)
  if (!path || !response?.ok) throw new Inconclusive('the log has no signed head yet: try again later')
  const note = await response.text()
  const { checkpoint, reason, askedFor = [] } = await open(note, info)
  if (!checkpoint) throw new CheckFailed(`the head of the log is not valid (${reason})`)
  const log = tileReader(path, (file) => service.get(file))
  const tree = await openTree(checkpoint, log.readTiles)
  const readBundle = (n: number) => log.readEntries(n, checkpoint.size)
  const voided: Voided[] = []
  for (const listed of info.restores) {
    const leaf = await readListed(tree, listed, { kind: 'restore' })
    if (leaf && leaf.to > listed.index) throw new CheckFailed(`leaf ${listed.index} declares later ones void`)
    if (leaf) voided.push(leaf)
  }
  const keys = await Promise.all(info.keys.map((listed) => readListed(tree, listed, { kind: 'key' })))
  const found = { info, note, checkpoint, tree, readBundle, voided, seenAt, askedFor }
  return { ...found, keys: keys.filter((leaf) => leaf !== null) }
}

/** Requires that the log has the key that signed a token, and has not removed it since. */
function requireLogged({ kid, jwk }: Claims, keys: readonly KeyLeaf[]): void {
  const leaf = keys.findLast((one) => one.use === 'token' && one.kid === kid)
  if (leaf?.state !== 'added') throw new CheckFailed(`the log does not have the key ${kid} of the token`)
  requireSame('the key of the token', jwk, leaf.key)
}

/**
 * The key set that has a key of tokens: one that was kept, else those of the log, which has keys that were removed, too,
 * else what the registry publishes.
 */
export async function tokenKeys(
  { service, head }: Context,
  kid: string,
  kept: JwkSet = { keys: [] },
): Promise<JwkSet> {
  const logged = (head?.keys ?? []).map(({ kid: id, key }) => ({ ...key, kid: id, alg: 'ES256' }))
  const known: Record<string, unknown>[] = [...kept.keys, ...logged].map((key) => ({ ...key }))
  return known.some((key) => key.kid === kid)
    ? { keys: known }
    : ((await service.fetchJson(JWKS_PATH)) as unknown as JwkSet)
}

/** Opens a head with the keys and the witnesses that the registry names. */
async function openUnpinned(note: string, { vkeys, witnesses }: LogInfo) {
  return openAsListed(
    note,
    await parseKeys(vkeys),
    witnesses.map(({ vkey }) => vkey),
  )
}

/** Opens a head; one of the witnesses is asked for. */
export async function openAsListed(note: string, logs: VerifierKey[], vkeys: readonly string[]) {
  const witnesses = (await parseKeys(vkeys)).map((key) => ({ name: key.name, key, url: null }))
  const askedFor = vkeys.map((vkey) => vkey.split('+')[0] ?? '')
  return { ...(await openCheckpoint(note, { ...NO_WITNESSES, logs, witnesses })), askedFor }
}

/** The verifier keys among texts. */
export async function parseKeys(vkeys: readonly string[]): Promise<VerifierKey[]> {
  return (await Promise.all(vkeys.map(parseVerifierKey))).filter((key) => key !== null)
}
