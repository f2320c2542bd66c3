import type { Leaf } from '../../src/transparency/leaf.ts'
import { ranges } from './problems.ts'

const EVENTS = 'events: seq'

/** Leaves [from, to) that a restore leaf has declared void. */
export interface Voided {
  from: number
  to: number
}

/** A leaf of an agent, at its place in the tree. */
export interface PlacedLeaf {
  index: number
  leaf: Extract<Leaf, { reg: string }>
}

/** Whether a leaf was declared void. */
export function isVoid(index: number, voided: readonly Voided[]): boolean {
  return voided.some(({ from, to }) => index >= from && index < to)
}

/** The number of a leaf in its series. */
export interface Numbered {
  index: number
  /** The name of the series, for messages. */
  series: string
  number: number
}

/** The series of a leaf and its number there; null for a kind that is not numbered. */
export function numbered({ index, leaf }: PlacedLeaf): Numbered | null {
  if (leaf.kind === 'event') return { index, series: EVENTS, number: leaf.seq }
  if (leaf.kind === 'agent') return { index, series: 'agent: rev', number: leaf.rev }
  if (leaf.kind === 'incident') return { index, series: `incident ${leaf.id}: rev`, number: leaf.rev }
  return leaf.kind === 'day' ? { index, series: `day ${leaf.day}: rev`, number: leaf.rev } : null
}

/**
 * Checks the leaves of one agent: in each series, every number from 1 occurs once, in order.
 *
 * @param leaves in order of index; including void ones, as the number of a void revision is not reused
 * @returns the problems found
 *
 * Source: transparency log, The verifier, 3 and 6
 */
export function judgeHistory(leaves: readonly Numbered[], voided: readonly Voided[]): string[] {
  const problems: string[] = []
  for (const [series, all] of Map.groupBy(leaves, (one) => one.series)) {
    const counted = all.filter(({ index }) => !isVoid(index, voided)).map(({ number }) => number)
    const mayLack = series === EVENTS ? [] : all.map(({ number }) => number)
    const there = new Set<number>()
    const twice = counted.filter((number) => there.size === there.add(number).size)
    const last = counted.reduce((most, number) => Math.max(most, number), 0)
    for (const number of mayLack) there.add(number)
    const missing = Array.from({ length: last }, (_, n) => n + 1).filter((number) => !there.has(number))
    const isSorted = counted.every((number, at) => at === 0 || number >= (counted[at - 1] ?? 0))
    if (twice.length > 0)
      problems.push(`${series} ${ranges([...new Set(twice)].sort((a, b) => a - b))} twice`)
    if (missing.length > 0) problems.push(`${series} ${ranges(missing)} missing`)
    if (twice.length === 0 && !isSorted) problems.push(`${series} out of order`)
  }
  return problems
}

/** The leaves of one kind that are not void. */
export function countedOf<Kind extends PlacedLeaf['leaf']['kind']>(
  placed: readonly PlacedLeaf[],
  kind: Kind,
  voided: readonly Voided[],
): { index: number; leaf: Extract<PlacedLeaf['leaf'], { kind: Kind }> }[] {
  return placed.flatMap(({ index, leaf }) =>
    leaf.kind === kind && !isVoid(index, voided)
      ? [{ index, leaf: leaf as Extract<PlacedLeaf['leaf'], { kind: Kind }> }]
      : [],
  )
}
