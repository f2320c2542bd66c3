import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const SRC = join(import.meta.dirname, '../../src')
const CALL = /(?<![\w./])log\(/g
const NAMED = /(?<![\w.])log\(\s*'(\w+)',\s*'(\w+)'/g

/** The file that defines `log`, the only one that writes to the console. */
export const WRITER = 'lib/log.ts'

/** A log line of the Worker. */
interface LogLine {
  level: string
  event: string
  /** The text of the file that writes it. */
  text: string
}

/** The files of the Worker, by their paths below src. */
export const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, text: readFileSync(join(SRC, file), 'utf8') }))

/** The lines whose names appear in a text. */
export function linesOf(text: string): LogLine[] {
  return [...text.matchAll(NAMED)].map(([, level = '', event = '']) => ({ level, event, text }))
}

/** How many lines a text writes, including those with computed names. */
export function callsOf(text: string): number {
  return [...text.matchAll(CALL)].length
}
