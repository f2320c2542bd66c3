import { utf8 } from '../../src/lib/crypto.ts'
import { decodeBase64Url, encodeBase64Url, joinBytes, parseObject } from '../../src/transparency/bytes.ts'
import type { Leaf } from '../../src/transparency/leaf.ts'
import { webSha256 } from '../../src/transparency/merkle.ts'

const SALT_BYTES = 16

/** What opens a leaf: the texts byte for byte, and the salts in base64url. */
export interface Opening {
  salt: string
  facts: string
  /** Only for an event whose metadata is shown; both or neither. */
  metadata_salt?: string
  metadata?: string
  /** Only for an agent or incident whose texts are shown; both or neither. */
  texts_salt?: string
  texts?: string
}

/** What the facts of each kind of leaf commit to in turn, by the name of the field, so that it can be hidden. */
const HIDEABLE = { event: 'metadata', agent: 'texts', incident: 'texts' } as const

/** Why an opening does not open a leaf. */
export type OpeningRejection =
  | 'not_sealed' // a leaf of this kind has no commitment
  | 'malformed' // a salt that is not 16 bytes, a text that is not a JSON object, or only one of a text and its salt
  | 'other_facts' // the leaf commits to other facts
  | 'other_metadata' // the facts commit to other metadata
  | 'other_texts' // the facts commit to other texts

/** `content` is the metadata of an event, or the texts of an agent or incident; null if they are hidden. */
export type OpenedLeaf =
  | { facts: Record<string, unknown>; content: Record<string, unknown> | null; reason: null }
  | { facts: null; content: null; reason: OpeningRejection }

/**
 * Opens a leaf: verifies that the log committed to the texts of an opening.
 *
 * @param leaf of kind event, agent, or incident
 * @returns the facts, and their content if the opening has it; or the reason
 *
 * Source: docs/use/transparency.md, "What it contains".
 */
export async function openLeaf(leaf: Leaf, opening: Opening): Promise<OpenedLeaf> {
  if (!('c' in leaf)) return reject('not_sealed')
  const name = HIDEABLE[leaf.kind]
  const [salt, text] = [opening[`${name}_salt`], opening[name]]
  if ((salt === undefined) !== (text === undefined)) return reject('malformed')
  const facts = parseObject(opening.facts)
  const c = await commit(decodeBase64Url(opening.salt), opening.facts)
  if (c === null || !facts) return reject('malformed')
  if (c !== leaf.c) return reject('other_facts')
  if (salt === undefined || text === undefined) return { facts, content: null, reason: null }
  const inner = await commit(decodeBase64Url(salt), text)
  const content = parseObject(text)
  if (inner === null || !content) return reject('malformed')
  return inner === facts[name] ? { facts, content, reason: null } : reject(`other_${name}`)
}

/**
 * The commitment to a text: SHA-256 of salt and text, 43 characters of base64url.
 *
 * @param salt 16 bytes
 * @returns null when the salt is not 16 bytes, or the text has no UTF-8
 *
 * Source: docs/use/transparency.md, "What it contains".
 */
export async function commit(salt: Uint8Array | null, text: string): Promise<string | null> {
  if (salt?.length !== SALT_BYTES || !text.isWellFormed()) return null
  return encodeBase64Url(await webSha256(joinBytes(salt, utf8(text))))
}

function reject(reason: OpeningRejection): OpenedLeaf {
  return { facts: null, content: null, reason }
}
