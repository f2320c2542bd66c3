import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { RegistryClient } from '../../../client/index.ts'
import { Failure } from '../failure.ts'
import { type Batch, type Problem, toBatches } from './batches.ts'
import { readLines } from './lines.ts'
import { keyOf, type Sent, sendEvents, type Warning } from './send.ts'
import { firstState, type Keeper, type State } from './state.ts'

const KEYS_LIVE_MS = 24 * 3_600_000 - 10 * 60_000 // the documented lifetime of keys, minus a tolerance for clock differences

/** The input of a report. */
export interface Input {
  /** Null for standard input. */
  path: string | null
  /** Distinguishes this input from another one with the same lines. */
  run: string
}

export interface Run {
  client: RegistryClient
  baseUrl: string
  input: Input
  keeper: Keeper
  /** What to do with lines that were sent too long ago to know whether they are stored. */
  unconfirmed: 'resend' | 'skip' | undefined
  /** Receives the results of lines immediately. */
  tell: (step: Step) => void
}

export interface Step {
  state: State
  problems: Problem[]
  warnings: Warning[]
  stored: number
  replayed: number
  receipt?: string | undefined
}

/** The end of a run. */
export interface End {
  state: State
  /** The number of the incomplete last line, which is left for the next run. */
  unfinished: number | null
}

/**
 * Reports the lines of an input in order, starting where an earlier run stopped.
 *
 * @throws Failure when the input has changed since an earlier run, or the registry rejects a whole request
 */
export async function report(run: Run): Promise<End> {
  const { keeper, baseUrl, input } = run
  let state = keeper.read() ?? firstState(baseUrl)
  if (state.base_url !== baseUrl) {
    throw new Failure(`the first lines of this file were reported to ${state.base_url}`, {
      next: 'to report it to another registry as well, set another state file with --state',
    })
  }
  state = settlePending(state, run)
  if (state.held.length > 0) {
    state = await sendHeld(state, run)
    if (state.held.length > 0) return { state, unfinished: null }
  }
  const hash = await hashBefore(input.path, state)
  const bytes =
    input.path === null ? process.stdin : createReadStream(input.path, { start: state.done.offset })
  const batches = toBatches(readLines(bytes, state.done.line + 1), {
    start: state.done,
    hash,
    cutAt: state.pending?.end?.offset ?? null,
    mayGrow: input.path !== null,
  })
  let unfinished: number | null = null
  for await (const batch of batches) {
    state = await sendBatch(batch, state, run)
    unfinished = batch.unfinished
    if (state.held.length > 0) return { state, unfinished: null }
  }
  if (state.pending?.end) throw changed(input.path, state)
  return { state, unfinished }
}

async function sendBatch(batch: Batch, before: State, { client, keeper, input, tell }: Run): Promise<State> {
  const { pending } = before
  if (pending?.end && batch.end.sha256 !== pending.end.sha256) throw changed(input.path, before)
  const sent_at = pending?.sent_at ?? new Date().toISOString()
  const requested = { ...before, pending: { sent_at, end: batch.end } }
  let sent: Sent = { stored: 0, isReplayed: false, problems: [], warnings: [], held: [] }
  if (batch.events.length > 0) {
    keeper.write(requested)
    sent = await sendEvents(client, keyOf([input.run, batch.start.sha256], batch.events), batch.events)
  }
  if (input.path === null) sent = withoutHeld(sent)
  const problems = [...batch.problems, ...sent.problems].toSorted((a, b) => a.line - b.line)
  const state = after({ ...requested, done: batch.end }, sent, problems.length)
  tell({ state, problems, ...countsOf(sent) })
  keeper.write(state)
  return state
}

async function sendHeld(before: State, { client, keeper, tell, input }: Run): Promise<State> {
  const place = [input.run, 'held', before.held_at ?? '']
  keeper.write({
    ...before,
    pending: { sent_at: before.pending?.sent_at ?? new Date().toISOString(), end: null },
  })
  const sent = await sendEvents(client, keyOf(place, before.held), before.held)
  const state = after(before, sent, sent.problems.length)
  tell({ state, problems: sent.problems, ...countsOf(sent) })
  keeper.write(state)
  return state
}

function after(before: State, { stored, held }: Sent, rejected: number): State {
  return {
    ...before,
    stored: before.stored + stored,
    rejected: before.rejected + rejected,
    pending: null,
    held,
    held_at: held.length > 0 ? new Date().toISOString() : null,
  }
}

/** Rejects held events, as an input without a state cannot be continued. */
function withoutHeld(sent: Sent): Sent {
  const message = 'exceeds the quota of your tier for an agent and UTC day'
  const rejected = sent.held.map((event) => ({ ...event, code: 'RATE_LIMITED', message }))
  return { ...sent, held: [], problems: [...sent.problems, ...rejected] }
}

function countsOf({ stored, isReplayed, warnings, receipt }: Sent) {
  return { stored, replayed: isReplayed ? stored : 0, warnings, receipt }
}

/** Resolves lines that were sent so long ago that their idempotency key no longer shows whether they are stored. */
function settlePending(state: State, { unconfirmed, keeper }: Run): State {
  const { pending, done } = state
  if (!pending || Date.now() - Date.parse(pending.sent_at) < KEYS_LIVE_MS) return state
  if (!unconfirmed) {
    const what = pending.end
      ? `lines ${done.line + 1} to ${pending.end.line} were`
      : `${state.held.length} events were`
    throw new Failure(
      `${what} sent at ${pending.sent_at} without a response, more than 24 hours ago; it is unknown whether they are stored`,
      {
        next: 'check whether the agents have these events; if so, add --unconfirmed skip, otherwise --unconfirmed resend',
      },
    )
  }
  const settled: State =
    unconfirmed === 'resend'
      ? { ...state, pending: null, ...(state.held_at && { held_at: new Date().toISOString() }) }
      : pending.end
        ? { ...state, pending: null, done: pending.end }
        : { ...state, pending: null, held: [], held_at: null }
  keeper.write(settled)
  return settled
}

/** The hash of the reported lines, which must equal those of the earlier run. */
async function hashBefore(path: string | null, state: State): Promise<Hash> {
  const hash = createHash('sha256')
  const { offset, sha256 } = state.done
  if (path === null || offset === 0) return hash
  let read = 0
  for await (const chunk of createReadStream(path, { end: offset - 1 })) {
    hash.update(chunk)
    read += chunk.length
  }
  if (read === offset && hash.copy().digest('hex') === sha256) return hash
  throw changed(path, state)
}

function changed(path: string | null, { done, pending }: State): Failure {
  const line = pending?.end?.line ?? done.line
  return new Failure(`${path} has changed within its first ${line} lines, which were already reported`, {
    next: 'put corrected events into a new file; if this is a different file, set another state file with --state',
  })
}
