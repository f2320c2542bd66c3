import { say } from '../../scripts/support/print.ts'

const ANSWER_MAX = 300

let steps = 0

/** Begins a step: a numbered title, and a line or two that say why. */
export function step(title: string, ...why: string[]): void {
  steps += 1
  console.log(`\n${steps}. ${title}`)
  for (const line of why) console.log(`   ${line}`)
  console.log()
}

/** Prints what came back, cut to a few lines of a terminal. */
export function answered(status: number, body: unknown): void {
  const text = JSON.stringify(body)
  say(`→ ${status} ${text.length > ANSWER_MAX ? `${text.slice(0, ANSWER_MAX)} …` : text}`)
}

/** A text as one word of a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
