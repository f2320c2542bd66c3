import {
  consistencyPath,
  type TileReader,
  type TrustedCheckpoint,
  tileReader,
  verifyConsistency,
} from '../../packages/verify/index.ts'
import { CheckFailed, pluralize, ranges } from '../../packages/verify/problems.ts'
import { logPath } from '../../src/lib/log-path.ts'
import { encodeBase64 } from '../../src/transparency/bytes.ts'
import { verifyAgent } from './agent.ts'
import { type Client, openClient } from './client.ts'
import { type AgentEntries, findVoided } from './entries.ts'
import { type Findings, PartFailed } from './findings.ts'
import { describeHead, openHead, originOf, requireConsistent } from './head.ts'
import { hiddenEntries, type Monitored, monitorLog } from './monitor.ts'
import { makeFolder, saveProofs } from './proofs.ts'
import { readState, type State, writeState } from './state.ts'
import { requireSuccession } from './succession.ts'
import { nodeSha256, type VerifiedTree, verifiedTree } from './tree.ts'
import { chooseKeys, readPolicy, type Trusted } from './trust.ts'
import { type Info, infoShape } from './wire.ts'

const MAX_DELAY_MS = 120_000 // the documented maximum merge delay, whatever the service states
const PATIENCE_MS = 15 * 60_000
const LONG_PATIENCE_MS = 3 * 3_600_000 // a million leaves take seven minutes at the limit of requests

/** The options of a verification. */
export interface Requested {
  /** Without a trailing slash. */
  baseUrl: string
  /** Optional if `all` is set. */
  reg?: string | undefined
  vkey?: string | undefined
  witness?: string | undefined
  key?: string | undefined
  state?: string | undefined
  save?: string | undefined
  all: boolean
}

/** A signed head and its tree. */
interface Head {
  note: string
  checkpoint: TrustedCheckpoint
  tree: VerifiedTree
  trusted: Trusted
  seenAt: Date
}

/**
 * Verifies the log of a service, and the records of one agent in it.
 *
 * @param findings receives the results
 * @throws CheckFailed for a failure that makes further checks meaningless; Error when a check cannot be completed
 *
 * Source: transparency log, The verifier
 */
export async function verifyLog(requested: Requested, findings: Findings): Promise<void> {
  const { baseUrl } = requested
  const patienceMs = requested.all || requested.key ? LONG_PATIENCE_MS : PATIENCE_MS
  const client = openClient({ baseUrl, key: requested.key, patienceMs })
  const state = requested.state === undefined ? null : readState(requested.state)
  if (requested.save !== undefined) makeFolder(requested.save)
  const info = await readInfo(client)
  const path = logPath(info.origin)
  if (path === null) throw new Error(`the service names no path of its log: ${info.origin}`)
  const reader = tileReader(baseUrl + path, (url) => client.get(url.slice(baseUrl.length)))
  const head = await openNewestHead(requested, state, info, reader, findings)
  const { tree, checkpoint } = head
  const voided = await findVoided(
    info.restores.map(({ index }) => index),
    reader,
    tree,
  )
  for (const { from, to } of voided) findings.note(`RESTORE: leaves ${from} to ${to - 1} are no longer valid`)
  const isConsistent = state === null || (await compareWithState(state, info, head, reader, findings))
  const { reg } = requested
  const entries = reg
    ? await holding(findings, 'agent', () =>
        verifyAgent({
          client,
          anonymous: openClient({ baseUrl, patienceMs }),
          reader,
          tree,
          findings,
          reg,
          openNewest: () => openLater(head, reader),
          hasKey: requested.key !== undefined,
          voided,
          seenAt: head.seenAt,
          heads: state?.origin === checkpoint.origin ? state.heads : [],
          delayMs: Math.min(MAX_DELAY_MS, 1000 * info.merge_delay_seconds),
        }),
      )
    : null
  const monitored = requested.all
    ? await holding(findings, 'all', () => verifyAll(head, info, reader, findings, { reg, entries }))
    : null
  if (requested.save !== undefined && entries) {
    const saved = await saveProofs(requested.save, head.note, tree, entries.placed)
    findings.note(`${pluralize(saved, 'proof')} in ${requested.save}`)
  }
  if (requested.state !== undefined && isConsistent)
    writeState(requested.state, nextState(state, head, monitored))
}

/** Fetches the service's description of its log. */
async function readInfo(client: Client): Promise<Info> {
  const response = await client.get('/log/info.json')
  if (response.status === 404) throw new Error('this service has no transparency log')
  return client.ask('/log/info.json', infoShape)
}

async function openNewestHead(
  requested: Requested,
  state: State | null,
  info: Info,
  reader: TileReader,
  findings: Findings,
): Promise<Head> {
  const note = await reader.checkpoint()
  const seenAt = new Date()
  const trusted = await chooseKeys(
    { vkey: requested.vkey, policy: await readPolicy(requested.witness) },
    state,
    info.vkeys,
  )
  const origin = originOf(note)
  if (state && trusted.by === 'state' && origin !== null && origin !== state.origin) {
    throw new PartFailed(
      'state',
      info.previous_origins.some((one) => one.origin === state.origin)
        ? `the log continues under a new origin: ${origin}. The previous one was ${state.origin}. Ask its operator for the reason, then continue with --vkey ${info.vkeys.join(' or ')}`
        : `the log is ${origin}, the state file is of ${state.origin}, and the service does not state that one continues the other: is it the file of another registry?`,
    )
  }
  const checkpoint = await openHead(note, trusted, info.vkeys)
  findings.check('checkpoint', describeHead(checkpoint, trusted, seenAt))
  if (trusted.by === 'first use')
    findings.note(`its key was taken from the service itself; pin it: --vkey ${info.vkeys.join(' or ')}`)
  const tree = await verifiedTree(checkpoint.size, checkpoint.root, reader.readTiles)
  return { note, checkpoint, tree, trusted, seenAt }
}

/** Opens the tree of the newest head. */
async function openLater({ checkpoint, trusted }: Head, reader: TileReader): Promise<VerifiedTree> {
  const { size, root } = await openHead(await reader.checkpoint(), trusted)
  const tree = await verifiedTree(size, root, reader.readTiles)
  const path =
    checkpoint.size <= size ? await consistencyPath(checkpoint.size, size, tree.readTiles, nodeSha256) : []
  const grown = { oldSize: checkpoint.size, oldRoot: checkpoint.root, size, root, path }
  if (await verifyConsistency(grown, nodeSha256)) return tree
  throw new CheckFailed('the log was rewritten while it was being read')
}

async function compareWithState(
  state: State,
  info: Info,
  head: Head,
  reader: TileReader,
  findings: Findings,
): Promise<boolean> {
  const { checkpoint, tree } = head
  const words = await holding(findings, 'state', () =>
    checkpoint.origin === state.origin
      ? requireConsistent(state, checkpoint, tree.readTiles)
      : requireSuccession(state, checkpoint, info, reader, tree, findings),
  )
  if (words !== null) findings.check('state', words)
  return words !== null
}

/** Step 6: the whole log, and the leaves that the list of the agent omits. */
async function verifyAll(
  { checkpoint }: Head,
  info: Info,
  reader: TileReader,
  findings: Findings,
  { reg, entries }: { reg: string | undefined; entries: AgentEntries | null },
): Promise<Monitored> {
  const found = await monitorLog(checkpoint, reader)
  const hinted = new Set(info.restores.map(({ index }) => index))
  const unhinted = found.restores.filter(({ index }) => !hinted.has(index))
  const listed = new Set(entries?.indexes)
  const hidden = reg && entries ? hiddenEntries(found, reg, listed) : []
  const { agents, events, restores, tokenKeys, logKeys } = found
  findings.check(
    'all',
    `${pluralize(checkpoint.size, 'leaf', 'leaves')} result in the signed root: ${pluralize(events, 'event')} of ${pluralize(agents, 'agent')}, no number missing or duplicate`,
    [
      ...found.problems,
      ...unhinted.map(({ index }) => `the service does not announce restore leaf ${index}`),
      ...(hidden.length > 0 ? [`the list of ${reg} omits leaf ${ranges(hidden)}`] : []),
    ],
  )
  for (const { index, from, to, at } of restores)
    findings.note(`RESTORE: leaf ${index} of ${at} declares leaves ${from} to ${to - 1} void`)
  for (const [name, count] of found.unknown)
    findings.note(`${pluralize(count, 'leaf', 'leaves')} of ${name} are unknown to this program`)
  for (const { vkey, state } of logKeys) findings.note(`a key of the log was ${state}: ${vkey}`)
  findings.note(`${pluralize(tokenKeys, 'leaf', 'leaves')} of token keys`)
  return found
}

/** The state after this run; keys that the log itself has added are trusted like the first one. */
function nextState(
  state: State | null,
  { note, checkpoint, trusted, seenAt }: Head,
  found: Monitored | null,
): State {
  const { origin, size, root } = checkpoint
  const vkeys = new Set(trusted.policy.logs.filter(({ name }) => name === origin).map(({ vkey }) => vkey))
  // The last change of each key counts; changes within one batch have no order.
  const moves = [...new Map(found?.logKeys.map(({ vkey, state: move }) => [vkey, move] as const))]
  for (const [vkey, move] of moves) if (move === 'added') vkeys.add(vkey)
  for (const [vkey, move] of moves) if (move === 'removed' && vkeys.size > 1) vkeys.delete(vkey)
  const before = state?.origin === origin ? state.heads : []
  const head = { size, root: encodeBase64(root), seen_at: seenAt.toISOString(), note }
  const heads = before.at(-1)?.size === size ? before : [...before, head]
  return { version: 1, origin, vkeys: [...vkeys], heads }
}

/** Runs one step; a CheckFailed becomes a finding, so that the other steps can run. */
async function holding<T>(findings: Findings, name: string, step: () => Promise<T>): Promise<T | null> {
  try {
    return await step()
  } catch (error) {
    if (!(error instanceof CheckFailed)) throw error
    findings.check(name, '', [error.message])
    return null
  }
}
