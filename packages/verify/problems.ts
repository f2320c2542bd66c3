const SHOWN_PROBLEMS = 10

/** A check failed: the message states what is wrong, one problem per line. */
export class CheckFailed extends Error {
  constructor(...problems: string[]) {
    const more = problems.length - SHOWN_PROBLEMS
    super([...problems.slice(0, SHOWN_PROBLEMS), ...(more > 0 ? [`and ${more} more`] : [])].join('\n'))
  }
}

/** A check could not be completed, which is no statement about the registry. */
export class Inconclusive extends Error {}

/** The registry has no agent with this number. */
export class UnknownAgent extends Error {}

/** A message about the first field that differs from its expected value; null if none does. */
export function differenceOf(
  shown: object,
  own: object,
  names: readonly string[] = Object.keys(own),
): string | null {
  for (const name of names) {
    const [is, must] = [shown, own].map((fields) => JSON.stringify(Reflect.get(fields, name)))
    if (is !== must) return `${name} is ${is ?? 'missing'}, must be ${must ?? 'missing'}`
  }
  return null
}

/** @throws CheckFailed with the first field that differs from its expected value */
export function requireSame(what: string, shown: object, own: object, names?: readonly string[]): void {
  const difference = differenceOf(shown, own, names)
  if (difference) throw new CheckFailed(`${what}: ${difference}`)
}

/** @throws CheckFailed if there are problems */
export function requireNone(problems: readonly string[]): void {
  if (problems.length > 0) throw new CheckFailed(...problems)
}

/** @throws Inconclusive if a prerequisite of a check was not verified */
export function requireVerified<T>(found: T | null, name: string): T {
  if (found) return found
  throw new Inconclusive(`cannot be checked without ${name}`)
}

/** A count with its noun: `1 event`, `2 events`. */
export function pluralize(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`
}

/** Ascending numbers as ranges: `3, 7 to 9`. */
export function ranges(numbers: readonly number[]): string {
  const parts: [from: number, to: number][] = []
  for (const number of numbers) {
    const last = parts.at(-1)
    if (last && number === last[1] + 1) last[1] = number
    else parts.push([number, number])
  }
  return parts.map(([from, to]) => (from === to ? String(from) : `${from} to ${to}`)).join(', ')
}
