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
 * Source: docs/use/transparency.md, "What is checked", 7 and 10
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

/** The last number of each series, and the highest one that a restore has declared void. */
interface Counts {
  numbers: Record<string, number>
  voided: Record<string, number>
}

/**
 * Checks the numbers of leaves one by one, with one number of memory per series; those of days and incidents, whose
 * series would grow with the log, are left to `judgeNumbers`.
 *
 * @param before where it continues
 */
export function countNumbers(before: Counts) {
  const last = new Map(Object.entries(before.numbers))
  const voided = new Map(Object.entries(before.voided))
  const setAside = (leaf: Leaf) => {
    // The number of a void event is given again, that of a void revision is not.
    for (const { name, number, isEvent } of countedIn(leaf))
      if (!isEvent) voided.set(name, Math.max(number, voided.get(name) ?? 0))
  }
  return {
    /** Counts a leaf that is not void, and returns the problems of its number. */
    add(leaf: Leaf): string[] {
      return countedIn(leaf).flatMap(({ name, number }) => {
        const previous = last.get(name) ?? 0
        last.set(name, Math.max(previous, number))
        if (number <= previous) return [`${name} ${number} twice, or out of order`]
        const isNext = number <= Math.max(previous, voided.get(name) ?? 0) + 1
        return isNext ? [] : [`${name} ${number} follows ${previous}`]
      })
    },
    /** Skips a void leaf. */
    setAside,
    /** Makes a leaf void that was counted. */
    takeBack(leaf: Leaf): void {
      for (const { name, number } of countedIn(leaf))
        last.set(name, Math.min(number - 1, last.get(name) ?? 0))
      setAside(leaf)
    },
    state: (): Counts => ({ numbers: Object.fromEntries(last), voided: Object.fromEntries(voided) }),
  }
}

/** The number of a leaf, if it is counted, in its series in the whole log. */
function countedIn(leaf: Leaf) {
  if (leaf.kind === 'day' || leaf.kind === 'incident') return []
  return numbered({ index: 0, leaf }).map(({ series, number }) => ({
    name: 'reg' in leaf ? `${leaf.reg}: ${series}` : series,
    number,
    isEvent: series === EVENTS,
  }))
}
