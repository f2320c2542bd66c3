/** An opaque cursor for the events before `seq` in an agent's log. */
export function toCursor(seq: number): string {
  return btoa(`before:${seq}`).replace(/=+$/, '')
}

/** The `seq` of a cursor; null when it is not one of ours. */
export function fromCursor(cursor: string): number | null {
  if (!/^[A-Za-z0-9+/]+$/.test(cursor) || cursor.length % 4 === 1) return null
  const seq = /^before:(\d{1,15})$/.exec(atob(cursor))?.[1]
  return seq === undefined ? null : Number(seq)
}
