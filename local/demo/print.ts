import { say } from '../../scripts/support/print.ts'

const RESPONSE_MAX_CHARS = 300

let steps = 0

/** Prints the numbered title of a step, and lines that explain it. */
export function step(title: string, ...why: string[]): void {
  steps += 1
  console.log(`\n${steps}. ${title}`)
  for (const line of why) console.log(`   ${line}`)
  console.log()
}

/** Prints a response, shortened to a few lines of a terminal. */
export function printResponse(status: number, body: unknown): void {
  const text = JSON.stringify(body)
  say(`→ ${status} ${text.length > RESPONSE_MAX_CHARS ? `${text.slice(0, RESPONSE_MAX_CHARS)} …` : text}`)
}

/** Quotes a text for a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
