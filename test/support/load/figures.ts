/** The value below which a share of a list lies; the median by default. NaN for an empty list. */
export function middle(list: readonly number[], share = 0.5): number {
  const sorted = list.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** The median of the ratios of the second list to the first, by round. */
export function ratioOf([first, second]: readonly [readonly number[], readonly number[]]): number {
  return middle(second.map((value, round) => value / (first[round] ?? Number.NaN)))
}

export function geometricMean(ratios: readonly number[]): number {
  return ratios.reduce((product, ratio) => product * ratio, 1) ** (1 / ratios.length)
}

/** The time that some work takes, in ms. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
