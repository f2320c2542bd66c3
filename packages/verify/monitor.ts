import { decodeBase64, encodeBase64, isCount, isObject, sameBytes } from '../../src/transparency/bytes.ts'
import type { Leaf } from '../../src/transparency/leaf.ts'
import { type Hash, type Sha256, webSha256 } from '../../src/transparency/merkle.ts'
import { TILE_WIDTH } from '../../src/transparency/tiles.ts'
import { type Check, type Context, runChecks, startChecks, type Verdict } from './checks.ts'
import { isVoid, type Voided } from './entries.ts'
import { growingTree } from './growing-tree.ts'
import { type Head, headCheck, type Listed } from './head.ts'
import { requireOrigin } from './keys.ts'
import { type LogState, logMemory, parseLogState, requireKnown, type Trust } from './memory.ts'
import { EVENTS, numbered } from './numbers.ts'
import { CheckFailed, pluralize, requireNone, requireVerified } from './problems.ts'
import { itemsOf, pagesOf, type Service, type ServiceOptions } from './service.ts'
import { type KeyMove, keyMove, leavesIn, readInto } from './whole-log.ts'

const PAGE = 100

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
 * Source: proof, Somebody watches.
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
        const found = await readNew(context, head, isKnown ? state : null, sha256)
        memory.learn(found.moves)
        after = found.state
        requireNone([...found.problems, ...(await unlisted(context.service, found.toList))])
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
  const context = startChecks(origin, '', { ...options, openCheckpoint: memory.openCheckpoint, memory })
  const verdict = await runChecks(context, checks, options)
  const log = memory.state()
  return { ...verdict, state: after && log ? { log, ...(after as Omit<MonitorState, 'log'>) } : null }
}

interface Found {
  state: Omit<MonitorState, 'log'>
  problems: string[]
  moves: KeyMove[]
  /** Indexes of leaves by the list that must have them. */
  toList: Map<string, number[]>
}

/** @throws CheckFailed if the new leaves do not result in the signed root */
async function readNew(
  { notes }: Context,
  head: Head,
  before: MonitorState | null,
  sha256: Sha256,
): Promise<Found> {
  const { origin, size, root } = head.checkpoint
  const subtrees = (before?.subtrees ?? []).map((one) => decodeBase64(one) as Hash)
  const tree = growingTree(sha256, { size: before?.size ?? 0, subtrees })
  const numbers = new Map(Object.entries(before?.numbers ?? {}))
  const voided = new Map(Object.entries(before?.voided ?? {}))
  const found = { problems: [] as string[], moves: [] as KeyMove[], toList: new Map<string, number[]>() }
  const unknown = new Map<string, number>()
  const setAside = ({ name, number, isEvent }: Counted) => {
    // The number of a void event is given again, that of a void revision is not.
    if (!isEvent) voided.set(name, Math.max(number, voided.get(name) ?? 0))
  }

  // What a new restore declares void was counted before.
  const known = before?.log.restores ?? []
  for (const range of before ? head.voided.filter((one) => !known.some((other) => isSame(one, other))) : [])
    for await (const { index, leaf } of leavesIn(head, { ...range, to: Math.min(range.to, tree.size()) }))
      for (const counted of isVoid(index, known) ? [] : countedIn(leaf)) {
        numbers.set(counted.name, Math.min(counted.number - 1, numbers.get(counted.name) ?? 0))
        setAside(counted)
      }

  for await (const read of readInto(tree, head, sha256)) {
    for (const [name, count] of read.unknown) unknown.set(name, (unknown.get(name) ?? 0) + count)
    found.problems.push(...read.malformed.map((index) => `leaf ${index} is not a valid leaf`))
    for (const { index, leaf } of read.leaves) {
      const move = await keyMove(leaf, origin)
      if (move) found.moves.push(move)
      if (leaf.kind === 'restore' && !head.voided.some((one) => isSame(one, leaf)))
        found.problems.push(`the service does not announce restore leaf ${index}`)
      const counted = countedIn(leaf)
      if (isVoid(index, head.voided)) {
        counted.forEach(setAside)
        continue
      }
      for (const { name, number } of counted) {
        const last = numbers.get(name) ?? 0
        if (number <= last) found.problems.push(`leaf ${index}: ${name} ${number} twice, or out of order`)
        else if (number > Math.max(last, voided.get(name) ?? 0) + 1)
          found.problems.push(`leaf ${index}: ${name} ${number} follows ${last}`)
        numbers.set(name, Math.max(last, number))
      }
      const list = listOf(leaf)
      if (list) found.toList.set(list, [...(found.toList.get(list) ?? []), index])
    }
  }
  if (!sameBytes(await tree.root(), root))
    throw new CheckFailed('the leaves do not result in the signed root')
  for (const [name, count] of unknown)
    notes.push(`${pluralize(count, 'leaf', 'leaves')} of ${name} are unknown to this program`)
  const state = {
    size,
    subtrees: tree.subtrees().map(encodeBase64),
    numbers: Object.fromEntries(numbers),
    voided: Object.fromEntries(voided),
  }
  return { ...found, state }
}

type Counted = ReturnType<typeof countedIn>[0]

/** The number of a leaf, if any; those of days and incidents would grow with the log, and are left to `wholeLogCheck`. */
function countedIn(leaf: Leaf) {
  if (leaf.kind === 'day' || leaf.kind === 'incident') return []
  return numbered({ index: 0, leaf }).map(({ series, number }) => ({
    name: 'reg' in leaf ? `${leaf.reg}: ${series}` : series,
    number,
    isEvent: series === EVENTS,
  }))
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

function isSame(one: Voided, other: Voided): boolean {
  return one.from === other.from && one.to === other.to
}
