import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Starts clients that work at the same time, each one step after the other, until they are stopped or it is over.
 *
 * @param pauseMs of each client after a step
 */
export function startClients(
  count: number,
  step: (n: number) => Promise<unknown>,
  { pauseMs = 0, isOver = () => false }: { pauseMs?: number; isOver?: () => boolean } = {},
) {
  let isRunning = true
  const client = async () => {
    for (let n = 0; isRunning && !isOver(); n++) {
      await step(n)
      if (pauseMs > 0) await sleep(pauseMs)
    }
  }
  const over = Promise.all(Array.from({ length: count }, client))
  return {
    over,
    /** Lets each client finish its step. */
    async stop() {
      isRunning = false
      await over
    },
  }
}

/** Works on each item, at most `atOnce` at a time; returns the results in order. */
export async function eachOf<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  const left = items.entries()
  const lane = async () => {
    for (const [n, item] of left) results[n] = await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return results
}

type Side = (round: number) => Promise<unknown>

/** Runs each round of all sides, in alternating order, so that other load on the machine affects all of them. */
export async function inTurns<const Sides extends readonly Side[]>(rounds: number, sides: Sides) {
  const results = sides.map((): unknown[] => [])
  for (let round = 0; round < rounds; round++) {
    const order = [...sides.entries()]
    for (const [n, side] of round % 2 ? order.toReversed() : order) results[n]?.push(await side(round))
  }
  return results as { -readonly [N in keyof Sides]: Awaited<ReturnType<Sides[N]>>[] }
}
