/** A request of the fuzzer. */
export interface Fuzzed {
  n: number
  caller: string
  method: string
  /** Path and query as sent. */
  path: string
  headers: [string, string][]
  body: Buffer | null
  /** Whether it must change nothing, because it only reads or must be rejected. */
  inert: boolean
  /** Whether it must not succeed. */
  rejected: boolean
}

/** A text encoded for a path or query. */
export function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
