import { readCursor, writeCursor } from '../wire/cursor.ts'

/** Where a page of an agent's leaves ended: `seq` of its last event, and index of its last leaf. */
export interface Place {
  seq: number
  index: number
}

const PLACE = /^after:(\d{1,15}):(-1|\d{1,15})$/

/** An opaque cursor for the leaves after a place. */
export function toCursor({ seq, index }: Place): string {
  return writeCursor(`after:${seq}:${index}`)
}

/** The place of a cursor; null if the cursor is invalid. */
export function fromCursor(cursor: string): Place | null {
  const [, seq, index] = PLACE.exec(readCursor(cursor) ?? '') ?? []
  return seq === undefined ? null : { seq: Number(seq), index: Number(index) }
}
