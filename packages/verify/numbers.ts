import type { Leaf } from '../../src/transparency/leaf.ts'
import { isVoid, type Voided } from './entries.ts'
import { ranges } from './problems.ts'

export const EVENTS = 'events: seq'
const SHOWN_MISSING = 100

/** The number of a leaf in its series. */
export interface Numbered {
  index: number
  /** The name of the series, for messages. */
  series: string
  number: number
}

/** The series of a leaf, of those of its agent if it has one, and its number there; nothing for a kind without numbers. */
export function numbered({ index, leaf }: { index: number; leaf: Leaf }): Numbered[] {
  if (leaf.kind === 'event') return [{ index, series: EVENTS, number: leaf.seq }]
  const name = nameOf(leaf)
  return name !== null && 'rev' in leaf ? [{ index, series: `${name}: rev`, number: leaf.rev }] : []
}

function nameOf(leaf: Leaf): string | null {
  if (leaf.kind === 'agent' || leaf.kind === 'withholding') return leaf.kind
  if (leaf.kind === 'agent_key') return `key ${leaf.kid}`
  if (leaf.kind === 'incident') return `incident ${leaf.id}`
  if (leaf.kind === 'day') return `day ${leaf.day}`
  if (leaf.kind === 'operator') return `operator ${leaf.operator}`
  return leaf.kind === 'platform' ? `platform ${leaf.platform}` : null
}

/**
 * Checks the leaves of one agent, or those of no agent: in each series, every number from 1 occurs once, in order.
 *
 * @param leaves in order of index; including void ones, as the number of a void revision is not reused
 * @returns the problems found
 *
 * Source: transparency log, The verifier, 3 and 6
 */
export function judgeNumbers(leaves: readonly Numbered[], voided: readonly Voided[]): string[] {
  const problems: string[] = []
  for (const series of new Set(leaves.map((one) => one.series))) {
    const all = leaves.filter((one) => one.series === series)
    const counted = all.filter(({ index }) => !isVoid(index, voided)).map(({ number }) => number)
    const there = new Set<number>()
    const twice = counted.filter((number) => there.size === there.add(number).size)
    const last = counted.reduce((most, number) => Math.max(most, number), 0)
    if (series !== EVENTS) for (const { number } of all) there.add(number)
    const missing: number[] = []
    for (let number = 1; number <= last && missing.length < SHOWN_MISSING; number++)
      if (!there.has(number)) missing.push(number)
    const isSorted = counted.every((number, at) => at === 0 || number >= (counted[at - 1] ?? 0))
    if (twice.length > 0)
      problems.push(`${series} ${ranges([...new Set(twice)].sort((a, b) => a - b))} twice`)
    if (missing.length > 0) problems.push(`${series} ${ranges(missing)} missing`)
    if (twice.length === 0 && !isSorted) problems.push(`${series} out of order`)
  }
  return problems
}
