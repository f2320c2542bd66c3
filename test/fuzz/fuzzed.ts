/** A request of the fuzzer. */
export interface Fuzzed {
  n: number
  caller: string
  method: string
  /** Path and query as they are sent. */
  path: string
  headers: [string, string][]
  body: Buffer | null
  /** Whether it must change nothing: a read, or certainly rejected. */
  inert: boolean
  /** Whether it must not be answered as a success. */
  rejected: boolean
}

/** A text as it may stand in a path or a query. */
export function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
