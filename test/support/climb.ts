type Random = () => number

/** One of some items. */
export function pick<T>(from: readonly T[], random: Random): T {
  return from[Math.floor(random() * from.length)] as T
}

/**
 * Adds, drops or changes a few items, for the next step of a climb.
 *
 * @param any makes an item; a changed one takes a field of it
 * @param most so many items at most
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
 * Climbs from where nothing is, and takes each step that does not lead down.
 *
 * @param enough the height at which it ends before so many steps
 * @returns where it ends
 */
export function climb<T>(
  steps: number,
  step: (from: T[]) => T[],
  heightOf: (at: T[]) => number,
  enough = Number.POSITIVE_INFINITY,
): T[] {
  let at: T[] = []
  let height = heightOf(at)
  for (let count = 0; count < steps && height < enough; count++) {
    const next = step(at)
    const reached = heightOf(next)
    if (reached < height) continue
    at = next
    height = reached
  }
  return at
}
