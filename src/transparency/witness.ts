import { encodeBase64 } from './bytes.ts'
import type { Hash } from './merkle.ts'

const SIZE = /^(0|[1-9]\d{0,15})\n$/

/**
 * The body of an `add-checkpoint` request.
 *
 * @param oldSize number of leaves in the head that the witness knows; 0 for none
 * @param path consistency path from that head to the checkpoint; empty from 0
 * @param note the checkpoint, signed by the log
 *
 * Source: C2SP tlog-witness, add-checkpoint.
 */
export function formatAddCheckpoint(oldSize: number, path: readonly Hash[], note: string): string {
  return `old ${oldSize}\n${path.map((hash) => `${encodeBase64(hash)}\n`).join('')}\n${note}`
}

/**
 * The size of the head that a witness knows, from its response with status 409 to another `oldSize`.
 *
 * @returns number of leaves, or null for any other body
 *
 * Source: C2SP tlog-witness, add-checkpoint.
 */
export function parseConflict(body: string): number | null {
  const size = Number(SIZE.exec(body)?.[1] ?? Number.NaN)
  return Number.isSafeInteger(size) ? size : null
}
