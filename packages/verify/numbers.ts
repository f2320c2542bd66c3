import { type AgentEntry, isVoid, type Voided } from './entries.ts'
import { ranges } from './problems.ts'

const EVENTS = 'events: seq'
const SHOWN_MISSING = 100

/** The number of a leaf in its series. */
export interface Numbered {
  index: number
  /** The name of the series, for messages. */
  series: string
  number: number
}

/** The series of a leaf and its number there; nothing for a kind that is not numbered. */
export function numbered({ index, leaf }: Pick<AgentEntry, 'index' | 'leaf'>): Numbered[] {
  if (leaf.kind === 'event') return [{ index, series: EVENTS, number: leaf.seq }]
  if (leaf.kind === 'agent') return [{ index, series: 'agent: rev', number: leaf.rev }]
  if (leaf.kind === 'withholding') return [{ index, series: 'withholding: rev', number: leaf.rev }]
  if (leaf.kind === 'agent_key') return [{ index, series: `key ${leaf.kid}: rev`, number: leaf.rev }]
  if (leaf.kind === 'incident') return [{ index, series: `incident ${leaf.id}: rev`, number: leaf.rev }]
  return leaf.kind === 'day' ? [{ index, series: `day ${leaf.day}: rev`, number: leaf.rev }] : []
}

/**
 * Checks the leaves of one agent: in each series, every number from 1 occurs once, in order.
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
