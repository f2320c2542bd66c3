/** Whether Postgres can store a text: no NUL, no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** The length of a text in code points. */
export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
