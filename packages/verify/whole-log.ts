import type { Leaf } from '../../src/transparency/leaf.ts'
import { type Sha256, webSha256 } from '../../src/transparency/merkle.ts'
import type { Check, Context } from './checks.ts'
import { isVoid } from './entries.ts'
import { growingTree } from './growing-tree.ts'
import type { Head } from './head.ts'
import { type LogFacts, readNewLeaves, unannounced } from './leaves.ts'
import { judgeNumbers, type Numbered, numbered } from './numbers.ts'
import { pluralize, ranges, requireNone, requireVerified } from './problems.ts'

/** The content of the whole log. */
interface WholeLog extends LogFacts, Content {}

interface Content {
  events: number
  tokenKeys: number
  /** The leaves of each agent: all indexes, and the numbers of those that are numbered. */
  agents: Map<string, { indexes: number[]; numbers: Numbered[] }>
  /** The leaves of operators and platforms. */
  states: Numbered[]
}

/**
 * Reads every leaf of the log, computes the root from them, and checks the numbers of all agents. Only this finds leaves
 * that the list of an agent omits.
 *
 * @param sha256 replaces Web Crypto, such as by `node:crypto`, which is faster
 *
 * Source: docs/use/transparency.md, "What is checked", 10
 */
export const wholeLogCheck = ({ sha256 = webSha256 }: { sha256?: Sha256 } = {}): Check => ({
  name: 'all',
  async verify(context) {
    const { notes, memory } = context
    const head = requireVerified(context.head, 'the checkpoint')
    const found = await readWholeLog(head, sha256)
    for (const { index, from, to, at } of found.restores)
      notes.push(`RESTORE: leaf ${index} of ${at} declares leaves ${from} to ${to - 1} void`)
    notes.push(...found.notes)
    for (const { vkey, state } of found.keyMoves) notes.push(`a key of the log was ${state}: ${vkey}`)
    notes.push(`${pluralize(found.tokenKeys, 'leaf', 'leaves')} of token keys`)
    requireNone([...found.problems, ...unannounced(head, found), ...omitted(context, found)])
    memory?.learn(found.keyMoves)
    return (
      `${pluralize(head.checkpoint.size, 'leaf', 'leaves')} result in the signed root: ` +
      `${pluralize(found.events, 'event')} of ${pluralize(found.agents.size, 'agent')}, no number missing or duplicate`
    )
  },
})

/** Leaves of the agent that its list omits, except void ones, and events that were not listed. */
function omitted({ reg, entries }: Context, { agents, restores }: WholeLog): string[] {
  if (!entries) return []
  const listed = new Set(entries.map(({ index }) => index))
  const { indexes = [], numbers = [] } = agents.get(reg) ?? {}
  const hasEvents = entries.some(({ leaf }) => leaf.kind === 'event')
  const events = new Set(numbers.flatMap(({ index, series }) => (series.startsWith('events') ? [index] : [])))
  const hidden = indexes.filter(
    (index) => !listed.has(index) && !isVoid(index, restores) && (hasEvents || !events.has(index)),
  )
  return hidden.length > 0 ? [`the list of ${reg} omits leaf ${ranges(hidden)}`] : []
}

/**
 * Reads all leaves of a log, and judges their numbers.
 *
 * @throws CheckFailed if they do not result in the signed root
 */
export async function readWholeLog(
  head: Pick<Head, 'checkpoint' | 'readBundle'>,
  sha256: Sha256 = webSha256,
): Promise<WholeLog> {
  const content: Content = { events: 0, tokenKeys: 0, agents: new Map(), states: [] }
  const facts = await readNewLeaves(growingTree(sha256), head, sha256, (index, leaf) =>
    addLeaf(content, index, leaf),
  )
  const problems = [...facts.problems, ...judgeNumbers(content.states, facts.restores)]
  for (const [reg, { numbers }] of content.agents)
    problems.push(...judgeNumbers(numbers, facts.restores).map((problem) => `${reg}: ${problem}`))
  return { ...facts, ...content, problems }
}

function addLeaf(content: Content, index: number, leaf: Leaf): void {
  if ('reg' in leaf) {
    const agent = content.agents.get(leaf.reg) ?? { indexes: [], numbers: [] }
    content.agents.set(leaf.reg, agent)
    agent.indexes.push(index)
    agent.numbers.push(...numbered({ index, leaf }))
    if (leaf.kind === 'event') content.events += 1
  } else if (leaf.kind === 'operator' || leaf.kind === 'platform')
    content.states.push(...numbered({ index, leaf }))
  else if (leaf.kind === 'key' && leaf.use === 'token') content.tokenKeys += 1
}
