import { encodeBase64 } from './bytes.ts'
import type { Hash } from './merkle.ts'

const SIZE = /^(0|[1-9]\d{0,15})\n$/

/**
 * The body of a request `add-checkpoint`.
 *
 * @param oldSize leaves in the head that the witness knows; 0 for none
 * @param path from that head to the checkpoint; empty from 0
 * @param note the checkpoint, signed by the log
 *
 * Source: C2SP tlog-witness, add-checkpoint.
 */
export function formatAddCheckpoint(oldSize: number, path: readonly Hash[], note: string): string {
  return `old ${oldSize}\n${path.map((hash) => `${encodeBase64(hash)}\n`).join('')}\n${note}`
}

/**
 * The size that a witness names when it knows another head than was said, with status 409.
 *
 * @returns leaves, or null when the body is anything else
 *
 * Source: C2SP tlog-witness, add-checkpoint.
 */
export function parseConflict(body: string): number | null {
  const size = Number(SIZE.exec(body)?.[1] ?? Number.NaN)
  return Number.isSafeInteger(size) ? size : null
}
