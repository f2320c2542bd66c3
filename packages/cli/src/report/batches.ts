import type { Hash } from 'node:crypto'
import { isObject } from '../../../../src/transparency/bytes.ts'
import type { Line } from './lines.ts'

const EVENTS_MAX = 1_000
const BODY_MAX_BYTES = 1024 * 1024
const ENVELOPE_BYTES = '{"events":[]}'.length

/** A position between two lines of the input. */
export interface Position {
  /** Bytes before it. */
  offset: number
  /** Lines before it. */
  line: number
  /** SHA-256 of the bytes before it, in hex. */
  sha256: string
}

export interface Event {
  line: number
  /** JSON, unchanged from the input. */
  text: string
}

/** A line that is not stored, and why. */
export interface Problem {
  line: number
  code: string
  message: string
  text: string
}

/** Lines that are sent together. */
export interface Batch {
  start: Position
  end: Position
  events: Event[]
  /** Lines that are not events, which are not sent. */
  problems: Problem[]
  /** The incomplete line after the batch. */
  unfinished: number | null
}

interface Options {
  start: Position
  /** Fed with all bytes before `start`. */
  hash: Hash
  /** The end of a batch of an earlier run that got no response. */
  cutAt: number | null
  /** Whether an incomplete line is left for the next run. */
  mayGrow: boolean
}

/**
 * Groups lines into batches of at most 1,000 events and 1 MB. The same lines from the same start result in the same
 * batches, except the last one, which depends on the end of the input.
 */
export async function* toBatches(
  lines: AsyncIterable<Line>,
  { start, hash, cutAt, mayGrow }: Options,
): AsyncGenerator<Batch, void> {
  let batch = emptyBatch(start)
  let bytes = ENVELOPE_BYTES
  let at = { offset: start.offset, line: start.line }
  const closed = (): Batch => ({ ...batch, end: { ...at, sha256: hash.copy().digest('hex') } })

  for await (const line of lines) {
    const judged = judge(line)
    if (judged && 'code' in judged && !line.isWhole && mayGrow) {
      batch.unfinished = line.number
      break
    }
    const size = judged && !('code' in judged) ? Buffer.byteLength(judged.text) + 1 : 0
    if (bytes + size > BODY_MAX_BYTES || batch.events.length === EVENTS_MAX) {
      const full = closed()
      yield full
      batch = emptyBatch(full.end)
      bytes = ENVELOPE_BYTES
    }
    if (judged && 'code' in judged) batch.problems.push(judged)
    else if (judged) batch.events.push(judged)
    bytes += size
    hash.update(line.bytes)
    at = { offset: at.offset + line.bytes.length, line: line.number }
    if (at.offset === cutAt) {
      const cut = closed()
      yield cut
      batch = emptyBatch(cut.end)
      bytes = ENVELOPE_BYTES
    }
  }
  if (at.line > batch.start.line || batch.unfinished !== null) yield closed()
}

function emptyBatch(start: Position): Batch {
  return { start, end: start, events: [], problems: [], unfinished: null }
}

/** An event, a problem, or null for a blank line. */
function judge({ number: line, text }: Line): Event | Problem | null {
  if (text === '') return null
  const problem = (message: string): Problem => ({ line, code: 'NOT_AN_EVENT', message, text })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    const isArray = line === 1 && text.startsWith('[')
    return problem(
      isArray
        ? 'must be one event, not the start of an array; to convert an array: jq -c ".[]"'
        : 'is not JSON',
    )
  }
  if (!isObject(value)) return problem('must be a JSON object, {"reg": …, "event_type": …}')
  if (Buffer.byteLength(text) > BODY_MAX_BYTES - ENVELOPE_BYTES - 1) return problem('is larger than 1 MB')
  return { line, text }
}
