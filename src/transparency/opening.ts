import { utf8 } from '../lib/crypto.ts'
import { decodeBase64Url, encodeBase64Url, encodeText, joinBytes, parseObject } from './bytes.ts'
import type { Leaf } from './leaf.ts'
import { type Sha256, webSha256 } from './merkle.ts'

const SALT_BYTES = 16
const INDEX_BYTES = 8

/** What opens a leaf: the texts byte for byte, and the salts in base64url. */
export interface Opening {
  salt: string
  facts: string
  /** Only for an event whose metadata is shown; both or neither. */
  metadata_salt?: string
  metadata?: string
}

/** Why an opening does not open a leaf. */
export type OpeningRejection =
  | 'not_sealed' // a leaf of this kind has no commitment
  | 'malformed' // a salt that is not 16 bytes, a text that is not a JSON object, or only one of metadata and its salt
  | 'other_facts' // the leaf commits to other facts
  | 'other_metadata' // the facts commit to other metadata

export type OpenedLeaf =
  | { facts: Record<string, unknown>; metadata: Record<string, unknown> | null; reason: null }
  | { facts: null; metadata: null; reason: OpeningRejection }

/**
 * Opens a leaf: verifies that the log committed to the texts of an opening.
 *
 * @param leaf of kind event, agent, or incident
 * @returns the facts, and the metadata if the opening has it, else null; or the reason
 *
 * Source: transparency log, Commitments.
 */
export async function openLeaf(
  leaf: Leaf,
  opening: Opening,
  sha256: Sha256 = webSha256,
): Promise<OpenedLeaf> {
  if (!('c' in leaf)) return reject('not_sealed')
  const { metadata_salt = null, metadata = null } = opening
  if ((metadata_salt === null) !== (metadata === null)) return reject('malformed')
  const facts = await openFacts(leaf, opening, sha256)
  if (typeof facts === 'string') return reject(facts)
  if (metadata_salt === null || metadata === null) return { facts, metadata: null, reason: null }
  const m = await commit(decodeBase64Url(metadata_salt), metadata, sha256)
  const shown = parseObject(metadata)
  if (m === null || !shown) return reject('malformed')
  return m === facts.metadata && leaf.kind === 'event'
    ? { facts, metadata: shown, reason: null }
    : reject('other_metadata')
}

/**
 * Opens the facts of a leaf, and ignores metadata.
 *
 * @returns the facts, or why they are rejected
 */
export async function openFacts(
  { c }: { c: string },
  opening: Pick<Opening, 'salt' | 'facts'>,
  sha256: Sha256 = webSha256,
): Promise<Record<string, unknown> | 'malformed' | 'other_facts'> {
  const own = await commit(decodeBase64Url(opening.salt), opening.facts, sha256)
  const facts = parseObject(opening.facts)
  if (own === null || !facts) return 'malformed'
  return own === c ? facts : 'other_facts'
}

/**
 * The commitment to a text: SHA-256 of salt and text, 43 characters of base64url.
 *
 * @param salt 16 bytes
 * @returns null when the salt is not 16 bytes, or the text has no UTF-8
 *
 * Source: transparency log, Commitments.
 */
export async function commit(
  salt: Uint8Array | null,
  text: string,
  sha256: Sha256 = webSha256,
): Promise<string | null> {
  const bytes = encodeText(text)
  if (salt?.length !== SALT_BYTES || !bytes) return null
  return encodeBase64Url(await sha256(joinBytes(salt, bytes)))
}

/**
 * Derives the salt of a leaf from the seed of its batch. Only the service knows seeds; verifiers receive salts.
 *
 * @param seed 32 bytes
 * @param part `f` for the facts, `m` for the metadata
 * @param index of the leaf
 * @returns 16 bytes
 *
 * Source: transparency log, Commitments.
 */
export async function deriveSalt(
  seed: Uint8Array,
  part: 'f' | 'm',
  index: number,
  sha256: Sha256 = webSha256,
): Promise<Uint8Array<ArrayBuffer>> {
  const place = new DataView(new ArrayBuffer(INDEX_BYTES))
  place.setBigUint64(0, BigInt(index))
  return (await sha256(joinBytes(seed, utf8(part), new Uint8Array(place.buffer)))).slice(0, SALT_BYTES)
}

function reject(reason: OpeningRejection): OpenedLeaf {
  return { facts: null, metadata: null, reason }
}
