import { Failure } from '../failure.ts'

const LINE_MAX_BYTES = 4 * 1024 * 1024 // four times the limit of a request
const LINE_FEED = 10

/** A line of the input. */
export interface Line {
  /** From 1 on. */
  number: number
  /** Trimmed, also of a byte order mark. */
  text: string
  /** Unchanged from the input, with its line feed. */
  bytes: Buffer
  /** Whether it ends with a line feed; the last line of a file that is being written may not yet. */
  isWhole: boolean
}

/**
 * Splits an input into lines.
 *
 * @param first the number of the first line
 * @throws Failure for a line that is too long for an event
 */
export async function* readLines(input: AsyncIterable<Buffer>, first: number): AsyncGenerator<Line, void> {
  let rest: Buffer = Buffer.alloc(0)
  let number = first
  const toLine = (bytes: Buffer, isWhole: boolean): Line => {
    return { number: number++, text: bytes.toString('utf8').trim(), bytes, isWhole }
  }
  for await (const chunk of input) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let begin = 0
    for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED, begin)) {
      yield toLine(rest.subarray(begin, end + 1), true)
      begin = end + 1
    }
    rest = rest.subarray(begin)
    if (rest.length > LINE_MAX_BYTES) {
      throw new Failure(`line ${number} is longer than 4 MB`, {
        next: 'the input must be NDJSON with one event per line; to convert a JSON array: jq -c ".[]" events.json',
      })
    }
  }
  if (rest.length > 0) yield toLine(rest, false)
}
