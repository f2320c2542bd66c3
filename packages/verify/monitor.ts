import { decodeBase64, encodeBase64, isCount, isObject } from '../../src/transparency/bytes.ts'
import type { Leaf } from '../../src/transparency/leaf.ts'
import { type Hash, type Sha256, webSha256 } from '../../src/transparency/merkle.ts'
import { TILE_WIDTH } from '../../src/transparency/tiles.ts'
import { type Check, runChecks, startChecks, type Verdict } from './checks.ts'
import { isVoid, type Voided } from './entries.ts'
import { growingTree } from './growing-tree.ts'
import { type Head, headCheck, type Listed } from './head.ts'
import { requireOrigin } from './keys.ts'
import { type LogFacts, leavesIn, readNewLeaves, unannounced } from './leaves.ts'
import { type LogState, logMemory, parseLogState, requireKnown, type Trust } from './memory.ts'
import { countNumbers } from './numbers.ts'
import { pluralize, requireNone, requireVerified } from './problems.ts'
import { itemsOf, pagesOf, type Service, type ServiceOptions } from './service.ts'

const PAGE = 100
const NOTHING_READ: Omit<MonitorState, 'log'> = { size: 0, subtrees: [], numbers: {}, voided: {} }

/** What a monitor remembers of a log; store it as JSON. Its size depends on the agents, not on the leaves. */
export interface MonitorState {
  log: LogState
  /** How many leaves were read. */
  size: number
  /** The roots of the complete subtrees over them, the largest first, in base64. */
  subtrees: string[]
  /** The last number of each series, and the highest one that a restore has declared void. */
  numbers: Record<string, number>
  voided: Record<string, number>
}

/** The result of a run; `state` is null if there is nothing new to store. */
export interface MonitorVerdict extends Verdict {
  state: MonitorState | null
}

export interface MonitorOptions extends ServiceOptions, Trust {
  /** Replaces Web Crypto, such as by `node:crypto`, which is faster. */
  sha256?: Sha256
}

/**
 * Reads a state that was stored.
 *
 * @returns null if it is not one
 */
export function parseMonitorState(text: string): MonitorState | null {
  try {
    const state = JSON.parse(text) as MonitorState
    const log = parseLogState(JSON.stringify(state.log))
    const isWhole = isCount(state.size) && isObject(state.numbers) && isObject(state.voided)
    return log && isWhole && state.subtrees.every(decodeBase64) ? state : null
  } catch {
    return null
  }
}

/**
 * Monitors a log: its newest head continues those seen before, no restore is new, and the leaves since the last run result
 * in its root, with every event and revision numbered once, in order. New leaves of operators, platforms, and keys of
 * agents are listed. Reads only new leaves, and one earlier bundle at random.
 *
 * @param state of the last run; null for the first one, which reads the whole log
 * @returns the new state has all leaves that were judged, so that each finding occurs in one run
 * @throws TypeError when `baseUrl` is invalid
 *
 * Source: docs/use/transparency.md, "Monitor a registry".
 */
export async function monitorLog(
  baseUrl: string,
  state: MonitorState | null,
  { policy, logs, acceptedRestores = [], sha256 = webSha256, ...options }: MonitorOptions = {},
): Promise<MonitorVerdict> {
  const origin = requireOrigin(baseUrl)
  const accepted = [...acceptedRestores, ...(state?.log.restores ?? [])]
  const memory = logMemory(state?.log ?? null, {
    ...(policy && { policy }),
    ...(logs && { logs }),
    acceptedRestores: accepted,
  })
  let after: Omit<MonitorState, 'log'> | null = null
  const checks: Check[] = [
    headCheck,
    {
      name: 'restores',
      async verify({ head }) {
        const { voided } = requireVerified(head, 'the checkpoint')
        const known = [...accepted]
        accepted.push(...voided) // reported once
        if (state) requireKnown(voided, known)
        return `${pluralize(voided.length, 'restore')}`
      },
    },
    memory.check,
    {
      name: 'leaves',
      async verify(context) {
        requireVerified(memory.state(), 'a log that continues what was seen')
        const head = requireVerified(context.head, 'the checkpoint')
        const isKnown = state?.log.origin === head.checkpoint.origin
        const found = await readNew(head, isKnown ? state : null, sha256)
        const { facts, problems, toList } = found
        context.notes.push(...facts.notes)
        memory.learn(facts.keyMoves)
        after = found.state
        const hidden = await unlisted(context.service, toList)
        requireNone([...facts.problems, ...unannounced(head, facts), ...problems, ...hidden])
        return `${pluralize(found.state.size, 'leaf', 'leaves')}, new: ${found.state.size - (isKnown ? state.size : 0)}`
      },
    },
    {
      name: 'sample',
      async verify({ head }) {
        const { tree, readBundle } = requireVerified(head, 'the checkpoint')
        const n = Math.floor(Math.random() * Math.ceil(tree.size / TILE_WIDTH))
        for (const [at, bytes] of (await readBundle(n)).entries())
          await tree.requireLeaf(n * TILE_WIDTH + at, bytes)
        return `bundle ${n} is unchanged`
      },
    },
  ]
  const context = startChecks(origin, '', { ...options, memory })
  const verdict = await runChecks(context, checks, options)
  const log = memory.state()
  return { ...verdict, state: after && log ? { log, ...(after as Omit<MonitorState, 'log'>) } : null }
}

interface Found {
  state: Omit<MonitorState, 'log'>
  facts: LogFacts
  /** Of the numbers of leaves. */
  problems: string[]
  /** Indexes of leaves by the list that must have them. */
  toList: Map<string, number[]>
}

/** @throws CheckFailed if the new leaves do not result in the signed root */
async function readNew(head: Head, before: MonitorState | null, sha256: Sha256): Promise<Found> {
  const { size, ...start } = before ?? NOTHING_READ
  const subtrees = start.subtrees.map((one) => decodeBase64(one) as Hash)
  const tree = growingTree(sha256, { size, subtrees })
  const counter = countNumbers(start)
  if (before) for await (const leaf of newlyVoid(head, before)) counter.takeBack(leaf)
  const problems: string[] = []
  const toList = new Map<string, number[]>()
  const facts = await readNewLeaves(tree, head, sha256, (index, leaf) => {
    if (isVoid(index, head.voided)) return counter.setAside(leaf)
    problems.push(...counter.add(leaf).map((problem) => `leaf ${index}: ${problem}`))
    const list = listOf(leaf)
    if (list) toList.set(list, [...(toList.get(list) ?? []), index])
  })
  const state = { size: tree.size(), subtrees: tree.subtrees().map(encodeBase64), ...counter.state() }
  return { state, facts, problems, toList }
}

/** The leaves that were counted before a new restore declared them void. */
async function* newlyVoid(head: Head, { size, log }: MonitorState): AsyncGenerator<Leaf> {
  const isKnown = ({ from, to }: Voided) => log.restores.some((one) => one.from === from && one.to === to)
  for (const { from, to } of head.voided.filter((one) => !isKnown(one)))
    for await (const { index, leaf } of leavesIn(head, { from, to: Math.min(to, size) }))
      if (!isVoid(index, log.restores)) yield leaf
}

/** The list that must have a leaf; null for leaves that only `verifyAgent` looks for. */
function listOf(leaf: Leaf): string | null {
  if (leaf.kind === 'agent_key') return `agents/${leaf.reg}`
  if (leaf.kind === 'operator') return `operators/${leaf.operator}`
  return leaf.kind === 'platform' ? `platforms/${leaf.platform}` : null
}

/** The leaves that are in the tree, but not in their lists. */
async function unlisted(service: Service, toList: ReadonlyMap<string, number[]>): Promise<string[]> {
  const problems: string[] = []
  for (const [list, indexes] of toList) {
    const missing = new Set(indexes)
    const kind = list.startsWith('agents/') ? '&kind=agent_key' : ''
    for await (const page of pagesOf(service, `/api/v1/${list}/log-entries?limit=${PAGE}${kind}`)) {
      for (const { index } of page ? itemsOf<Listed>(page) : []) missing.delete(index)
      if (missing.size === 0) break
    }
    problems.push(...[...missing].map((index) => `the list of ${list} omits leaf ${index}`))
  }
  return problems
}
