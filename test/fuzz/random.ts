import { seeded } from '../vectors/rollups.ts'

/** A pseudorandom generator. */
export type Random = ReturnType<typeof randomOf>

/**
 * Creates the generator for one request, which depends only on seed and number.
 *
 * @param seed of the run
 * @param n number of the request
 */
export function randomOf(seed: number, n: number) {
  const next = seeded(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(n + 1, 0xc2b2ae35))
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    chance: (share: number) => next() < share,
    pick<T>(list: readonly T[]): T {
      const found = list[below(list.length)]
      if (found === undefined) throw new Error('nothing to pick from')
      return found
    },
    /** One of the names, with a probability in proportion to its weight. */
    weighted<Name extends string>(weights: Record<Name, number>): Name {
      const names = Object.keys(weights) as Name[]
      let rest = next() * names.reduce((sum, name) => sum + weights[name], 0)
      for (const name of names) {
        rest -= weights[name]
        if (rest < 0) return name
      }
      return this.pick(names)
    },
  }
}
