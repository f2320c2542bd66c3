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
  /** Oldest first; each was verified to continue the previous one. */
  heads: z.array(head).min(1),
})

/** A head of the log from an earlier run. */
export type SeenHead = z.infer<typeof head>

/** The verified heads of a log, and its trusted keys. */
export type State = z.infer<typeof shape>

/**
 * Reads the state of earlier runs.
 *
 * @returns null before the first run
 * @throws Error that names the file when it is invalid, or its folder does not exist
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

/** Writes the state atomically, with at most the newest `MAX_HEADS` heads. */
export function writeState(file: string, state: State): void {
  const heads = state.heads.slice(-MAX_HEADS)
  writeFileSync(`${file}.new`, `${JSON.stringify({ ...state, heads }, null, 2)}\n`)
  renameSync(`${file}.new`, file)
}
