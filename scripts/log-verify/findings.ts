import { say } from '../support/print.ts'

const SHOWN_PROBLEMS = 10
const LABEL_WIDTH = 12

/** What was checked, in lines for people. */
export interface Findings {
  /** One check: what it looked at, and what does not hold, nothing when all does. */
  check(name: string, what: string, problems?: readonly string[]): void
  /** What is neither right nor wrong, and must be known. */
  note(text: string): void
  /** How many things did not hold. */
  problems(): number
}

/** Prints each finding as it is made. */
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
