type Random = () => number

/** A random item. */
export function pick<T>(from: readonly T[], random: Random): T {
  return from[Math.floor(random() * from.length)] as T
}

/**
 * Adds, removes or changes a few items, for the next step of a hill climb.
 *
 * @param any creates a random item; a changed item takes one field of it
 * @param most maximum number of items
 */
export function varied<T extends object>(
  items: readonly T[],
  random: Random,
  any: (random: Random) => T,
  most: number,
): T[] {
  const next = [...items]
  for (let change = Math.floor(3 * random()); change >= 0; change--) {
    const index = Math.floor(next.length * random())
    const { [index]: old } = next
    const kind = random()
    if (!old || (kind < 0.3 && next.length < most)) next.push(any(random))
    else if (kind < 0.45) next.splice(index, 1)
    else {
      const field = pick(Object.keys(old) as (keyof T)[], random)
      next[index] = { ...old, [field]: any(random)[field] }
    }
  }
  return next
}

/**
 * Hill climbing from an empty list; takes each step that does not decrease the height.
 *
 * @returns the items at the end
 */
export function climb<T>(steps: number, step: (from: T[]) => T[], heightOf: (at: T[]) => number): T[] {
  let at: T[] = []
  let height = heightOf(at)
  for (let count = 0; count < steps; count++) {
    const next = step(at)
    const reached = heightOf(next)
    if (reached < height) continue
    at = next
    height = reached
  }
  return at
}
