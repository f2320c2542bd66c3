import { readCursor, writeCursor } from '../wire/cursor.ts'

const PLACE = /^before:(\d{1,15})$/

/** An opaque cursor for the events before `seq` in an agent's log. */
export function toCursor(seq: number): string {
  return writeCursor(`before:${seq}`)
}

/** The `seq` of a cursor; null if the cursor is invalid. */
export function fromCursor(cursor: string): number | null {
  const seq = PLACE.exec(readCursor(cursor) ?? '')?.[1]
  return seq === undefined ? null : Number(seq)
}
