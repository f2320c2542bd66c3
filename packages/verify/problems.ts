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

/** The first field that is not what it must be, in words; null if there is none. */
export function differenceOf(
  shown: object,
  own: object,
  names: readonly string[] = Object.keys(own),
): string | null {
  for (const name of names) {
    const [is, must] = [shown, own].map((fields) => Reflect.get(fields, name))
    if (is !== must) return `${name} is ${is ?? 'missing'}, must be ${must ?? 'missing'}`
  }
  return null
}

/** @throws DoesNotHold that names the first field which is not what it must be */
export function requireSame(what: string, shown: object, own: object, names?: readonly string[]): void {
  const difference = differenceOf(shown, own, names)
  if (difference) throw new DoesNotHold(`${what}: ${difference}`)
}

/** @throws CannotTell if what was not verified is needed for more */
export function requireVerified<T>(found: T | null, name: string): T {
  if (found) return found
  throw new CannotTell(`cannot be checked without ${name}`)
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
