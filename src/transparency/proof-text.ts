import { decodeBase64, encodeBase64 } from './bytes.ts'
import { HASH_BYTES, type Hash, MAX_PATH } from './merkle.ts'

const HEADER = 'c2sp.org/tlog-proof@v1'
const INDEX = /^index (0|[1-9]\d{0,15})$/
const EXTRA = 'extra '

/** A proof that a leaf is in a log, which can be verified offline. */
export interface TlogProof {
  /** The bytes of the leaf; null if they are transmitted separately. */
  leaf: Uint8Array<ArrayBuffer> | null
  /** Index of the leaf in the log, from 0. */
  index: number
  /** From the sibling of the leaf upward. */
  path: Hash[]
  /** The signed checkpoint with its cosignatures. */
  note: string
}

/** The text of a proof, the content of a `.tlog-proof` file. Source: C2SP tlog-proof, Format. */
export function formatProof({ leaf, index, path, note }: TlogProof): string {
  const extra = leaf ? [`${EXTRA}${encodeBase64(leaf)}`] : []
  return [HEADER, ...extra, `index ${index}`, ...path.map(encodeBase64), '', note].join('\n')
}

/** Parses a proof without verifying it; null if it is not a proof. Source: C2SP tlog-proof, Format. */
export function parseProof(text: string): TlogProof | null {
  const split = text.indexOf('\n\n')
  if (split < 0) return null
  const lines = text.slice(0, split).split('\n')
  if (lines.shift() !== HEADER) return null
  const extra = lines[0]?.startsWith(EXTRA) ? lines.shift() : undefined
  const leaf = extra === undefined ? null : decodeBase64(extra.slice(EXTRA.length))
  const index = Number(INDEX.exec(lines.shift() ?? '')?.[1] ?? Number.NaN)
  const path = lines.map(decodeBase64)
  if ((extra !== undefined && !leaf) || !Number.isSafeInteger(index) || path.length > MAX_PATH) return null
  const isPath = path.every((hash): hash is Hash => hash?.length === HASH_BYTES)
  return isPath ? { leaf, index, path: path as Hash[], note: text.slice(split + 2) } : null
}
