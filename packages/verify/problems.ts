/** That something which must hold does not: its message says what, `part` of which part. */
export class DoesNotHold extends Error {
  readonly part: string

  constructor(message: string, part = 'log') {
    super(message)
    this.part = part
  }
}

/** That it could not be found out whether something holds: nothing is said of the log. */
export class CannotTell extends Error {}

/** @throws DoesNotHold if what is shown is not what it must be */
export function requireSame(what: string, shown: unknown, own: unknown): void {
  if (shown !== own)
    throw new DoesNotHold(`${what} is ${JSON.stringify(shown)}, must be ${JSON.stringify(own)}`)
}

/** A count with its noun: `1 event`, `2 events`. */
export function many(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`
}

/** Ascending numbers in words: `3, 7 to 9`. */
export function ranges(numbers: readonly number[]): string {
  const parts: [from: number, to: number][] = []
  for (const number of numbers) {
    const last = parts.at(-1)
    if (last && number === last[1] + 1) last[1] = number
    else parts.push([number, number])
  }
  return parts.map(([from, to]) => (from === to ? String(from) : `${from} to ${to}`)).join(', ')
}
