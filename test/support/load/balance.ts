/** What was sent compared with what is found. */
export interface Compared {
  lost: string[]
  doubled: string[]
  /** Found, but not sent. */
  unexpected: string[]
}

/**
 * Compares the marks of what was sent with the marks that are found, each of which should be there once.
 *
 * @param found every mark, as often as it is found
 */
export function compare(sent: Iterable<string>, found: Iterable<string>): Compared {
  const times = new Map<string, number>()
  for (const mark of found) times.set(mark, (times.get(mark) ?? 0) + 1)
  const marks = new Set(sent)
  return {
    lost: [...marks].filter((mark) => !times.has(mark)),
    doubled: [...marks].filter((mark) => (times.get(mark) ?? 0) > 1),
    unexpected: [...times.keys()].filter((mark) => !marks.has(mark)),
  }
}
