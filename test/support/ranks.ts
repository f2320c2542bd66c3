/** An item with its score and its true quality. */
export interface Ranked {
  quality: number
  score: number
}

/** The rank of each value, from 1; equal values share their mean rank. */
function ranksOf(values: readonly number[]): number[] {
  const order = values.map((_, index) => index).sort((a, b) => (values[a] as number) - (values[b] as number))
  const ranks = new Array<number>(values.length)
  for (let from = 0; from < order.length; ) {
    let to = from
    while (to < order.length && values[order[to] as number] === values[order[from] as number]) to++
    for (let place = from; place < to; place++) ranks[order[place] as number] = (from + 1 + to) / 2
    from = to
  }
  return ranks
}

/** The mean; NaN for no values. */
export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/**
 * How often one of the first has a higher score than one of the second, ties counted half: the area under the ROC
 * curve.
 *
 * Source: Mann & Whitney 1947, Hanley & McNeil 1982
 */
export function areaUnderCurve(first: readonly number[], second: readonly number[]): number {
  const ranks = ranksOf([...first, ...second]).slice(0, first.length)
  const sum = ranks.reduce((total, rank) => total + rank, 0)
  return (sum - (first.length * (first.length + 1)) / 2) / (first.length * second.length)
}

/** Spearman's correlation of the ranks, −1 to 1. */
export function rankCorrelation(all: readonly Ranked[]): number {
  const [x, y] = [ranksOf(all.map(({ quality }) => quality)), ranksOf(all.map(({ score }) => score))]
  const middle = (all.length + 1) / 2
  let [both, xx, yy] = [0, 0, 0]
  for (const [index, rank] of x.entries()) {
    const [dx, dy] = [rank - middle, (y[index] as number) - middle]
    both += dx * dy
    xx += dx * dx
    yy += dy * dy
  }
  return both / Math.sqrt(xx * yy)
}

/** The expected true quality of the item with the best score in a random sample; ties are broken at random. */
export function qualityOfBest(all: readonly Ranked[], count: number): number {
  const order = all.toSorted((a, b) => b.score - a.score)
  // The probability that no sampled item is among the first n; its decrease at n is that the n-th is the best.
  let none = 1
  let expected = 0
  for (let from = 0; from < order.length; ) {
    let to = from
    let sum = 0
    let left = none
    while (to < order.length && order[to]?.score === order[from]?.score) {
      sum += order[to]?.quality ?? 0
      left *= Math.max(0, order.length - to - count) / (order.length - to)
      to++
    }
    expected += ((none - left) * sum) / (to - from)
    none = left
    from = to
  }
  return expected
}
