import { printTable } from '../../packages/cli/src/output.ts'

const INDENT = '  '

/** Prints indented lines, which can still be pasted into a shell. */
export function say(...lines: string[]): void {
  for (const line of lines) console.log(line ? INDENT + line : '')
}

/** Prints rows as columns. */
export function table([headings = [], ...rows]: readonly (readonly string[])[]): void {
  printTable({ style: (_, text) => text, line: say }, headings, rows, '')
}

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
