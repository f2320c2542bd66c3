import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'

const MAX_HEADS = 1_000

const head = z.object({
  size: z.int().min(0),
  /** Standard base64. */
  root: z.string(),
  seen_at: z.iso.datetime(),
  note: z.string(),
})

const shape = z.object({
  version: z.literal(1),
  origin: z.string(),
  vkeys: z.array(z.string()).min(1),
  /** Oldest first; each was seen to begin with the one before. */
  heads: z.array(head).min(1),
})

/** A head of the log that was seen before. */
export type SeenHead = z.infer<typeof head>

/** What was seen of a log, and by whose key. */
export type State = z.infer<typeof shape>

/**
 * Reads what the runs before have seen.
 *
 * @returns null before the first run
 * @throws Error that names the file when it holds anything else, or could not be written later
 */
export function readState(file: string): State | null {
  if (!existsSync(dirname(file))) throw new Error(`--state ${file}: there is no folder ${dirname(file)}`)
  if (!existsSync(file)) return null
  try {
    return shape.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    throw new Error(`--state ${file}: was not written by this command; move it away to start again`)
  }
}

/** Writes what was seen, whole or not at all; of very many heads the newest. */
export function writeState(file: string, state: State): void {
  const heads = state.heads.slice(-MAX_HEADS)
  writeFileSync(`${file}.new`, `${JSON.stringify({ ...state, heads }, null, 2)}\n`)
  renameSync(`${file}.new`, file)
}
