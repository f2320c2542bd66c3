import { decodeBase64, encodeBase64, isCount, isObject, sameBytes } from '../../src/transparency/bytes.ts'
import { type Leaf, readLeaves } from '../../src/transparency/leaf.ts'
import { growingTree, type Hash, type Sha256, webSha256 } from '../../src/transparency/merkle.ts'
import { TILE_WIDTH } from '../../src/transparency/tiles.ts'
import { type Check, type Context, runChecks, startChecks, type Verdict } from './checks.ts'
import { isVoid, type Voided } from './entries.ts'
import { type Head, headCheck, type Listed } from './head.ts'
import { requireOrigin } from './keys.ts'
import { type LogState, logMemory, parseLogState, type Trust } from './memory.ts'
import { CheckFailed, pluralize, requireNone, requireVerified } from './problems.ts'
import { itemsOf, type Service, type ServiceOptions } from './service.ts'
import { fetchBundle, type KeyMove, keyMove, readInto } from './whole-log.ts'

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
        const fresh = state ? voided.filter((one) => !accepted.some((known) => isSame(one, known))) : []
        accepted.push(...fresh) // reported once
        requireNone(
          fresh.map(
            ({ from, to }) =>
              `a restore has declared leaves ${from} to ${to - 1} void: ask the operator of the registry for the reason`,
          ),
        )
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
      async verify({ service, head: found }) {
        const head = requireVerified(found, 'the checkpoint')
        const n = Math.floor(Math.random() * Math.ceil(head.tree.size / TILE_WIDTH))
        for (const [at, bytes] of (await fetchBundle(service, head, n)).entries())
          await head.tree.requireLeaf(n * TILE_WIDTH + at, bytes)
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
  { service, notes }: Context,
  head: Head,
  before: MonitorState | null,
  sha256: Sha256,
): Promise<Found> {
  const { origin, size, root } = head.checkpoint
  const readBundle = (n: number) => fetchBundle(service, head, n)
  const subtrees = (before?.subtrees ?? []).map((one) => decodeBase64(one) as Hash)
  const tree = growingTree(sha256, { size: before?.size ?? 0, subtrees })
  const numbers = new Map(Object.entries(before?.numbers ?? {}))
  const voided = new Map(Object.entries(before?.voided ?? {}))
  const found = { problems: [] as string[], moves: [] as KeyMove[], toList: new Map<string, number[]>() }
  const unknown = new Map<string, number>()
  const setAside = ({ name, number, isReused }: Series) => {
    if (!isReused) voided.set(name, Math.max(number, voided.get(name) ?? 0))
  }

  // What a new restore declares void was counted before.
  const known = before?.log.restores ?? []
  for (const range of before ? head.voided.filter((one) => !known.some((other) => isSame(one, other))) : [])
    for (let n = Math.floor(range.from / TILE_WIDTH); n * TILE_WIDTH < Math.min(range.to, tree.size()); n++)
      for (const { index, leaf } of readLeaves(await readBundle(n), n * TILE_WIDTH).leaves) {
        const series =
          index < tree.size() && isVoid(index, [range]) && !isVoid(index, known) && seriesOf(leaf)
        if (!series) continue
        numbers.set(series.name, Math.min(series.number - 1, numbers.get(series.name) ?? 0))
        setAside(series)
      }

  for await (const read of readInto(tree, size, readBundle, sha256)) {
    for (const [name, count] of read.unknown) unknown.set(name, (unknown.get(name) ?? 0) + count)
    found.problems.push(...read.malformed.map((index) => `leaf ${index} is not a valid leaf`))
    for (const { index, leaf } of read.leaves) {
      const move = await keyMove(leaf, origin)
      if (move) found.moves.push(move)
      if (leaf.kind === 'restore' && !head.voided.some((one) => isSame(one, leaf)))
        found.problems.push(`the service does not announce restore leaf ${index}`)
      const series = seriesOf(leaf)
      if (!series) continue
      if (isVoid(index, head.voided)) {
        setAside(series)
        continue
      }
      const { name, number, list } = series
      const last = numbers.get(name) ?? 0
      if (number <= last) found.problems.push(`leaf ${index}: ${name} ${number} twice, or out of order`)
      else if (number > Math.max(last, voided.get(name) ?? 0) + 1)
        found.problems.push(`leaf ${index}: ${name} ${number} follows ${last}`)
      numbers.set(name, Math.max(last, number))
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

interface Series {
  name: string
  number: number
  /** Whether a number that was declared void is given again. */
  isReused?: boolean
  /** The list that must have the leaf. */
  list?: string
}

/** The series of a leaf; those of days and incidents would grow with the log, and are left to `wholeLogCheck`. */
function seriesOf(leaf: Leaf): Series | null {
  if (leaf.kind === 'event') return { name: `${leaf.reg}: event`, number: leaf.seq, isReused: true }
  if (leaf.kind === 'agent' || leaf.kind === 'withholding')
    return { name: `${leaf.reg}: ${leaf.kind} revision`, number: leaf.rev }
  if (leaf.kind === 'agent_key')
    return { name: `${leaf.reg}: key ${leaf.kid} revision`, number: leaf.rev, list: `agents/${leaf.reg}` }
  if (leaf.kind === 'operator' || leaf.kind === 'platform') {
    const subject = leaf.kind === 'operator' ? leaf.operator : leaf.platform
    const name = `${leaf.kind} ${subject}: revision`
    return { name, number: leaf.rev, list: `${leaf.kind}s/${subject}` }
  }
  return null
}

/** The leaves that are in the tree, but not in their lists. */
async function unlisted(service: Service, toList: ReadonlyMap<string, number[]>): Promise<string[]> {
  const problems: string[] = []
  for (const [list, indexes] of toList) {
    const missing = new Set(indexes)
    const kind = list.startsWith('agents/') ? 'kind=agent_key&' : ''
    for (let cursor: string | null = ''; cursor !== null && missing.size > 0; ) {
      const page: Record<string, unknown> | null = await service.fetchJson(
        `/api/v1/${list}/log-entries?${kind}cursor=${encodeURIComponent(cursor)}`,
      )
      const data = page ? itemsOf<Listed>(page) : []
      for (const { index } of data) missing.delete(index)
      cursor = data.length > 0 ? (page?.next_cursor as string | null) : null
    }
    problems.push(...[...missing].map((index) => `the list of ${list} omits leaf ${index}`))
  }
  return problems
}

function isSame(one: Voided, other: Voided): boolean {
  return one.from === other.from && one.to === other.to
}
