import { CheckFailed } from '../../packages/verify/problems.ts'
import { say } from '../support/print.ts'

const SHOWN_PROBLEMS = 10
const LABEL_WIDTH = 12

/** A failed check of a part other than the log, such as a proof. */
export class PartFailed extends CheckFailed {
  readonly part: string

  constructor(part: string, message: string) {
    super(message)
    this.part = part
  }
}

/** Collects the results of checks and prints them. */
export interface Findings {
  /** Adds a check: its name, what it verified, and its problems, if any. */
  check(name: string, what: string, problems?: readonly string[]): void
  /** Adds information that is neither a success nor a failure. */
  note(text: string): void
  /** The number of problems. */
  problems(): number
}

/** Findings that are printed immediately. */
export function printedFindings(): Findings {
  let count = 0
  return {
    check(name, what, problems = []) {
      if (problems.length === 0) return say(`ok    ${name.padEnd(LABEL_WIDTH)} ${what}`)
      count += problems.length
      for (const problem of problems.slice(0, SHOWN_PROBLEMS)) {
        say(`FAIL  ${name.padEnd(LABEL_WIDTH)} ${problem}`)
      }
      const more = problems.length - SHOWN_PROBLEMS
      if (more > 0) say(`FAIL  ${name.padEnd(LABEL_WIDTH)} and ${more} more`)
    },
    note: (text) => say(`note  ${text}`),
    problems: () => count,
  }
}
