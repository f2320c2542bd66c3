import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writeAtomically } from '../../file.ts'

const SEED_BYTES = 32

const shape = z.object({
  port: z.number(),
  /** The seed of its private key, base64. */
  seed: z.base64(),
  /** The newest cosigned head by origin: size in decimal, root in base64. */
  heads: z.record(z.string(), z.object({ size: z.string(), root: z.base64() })),
})

/** The state that a witness must never lose. */
type Witnessed = z.infer<typeof shape>

export interface Store {
  state: Witnessed
  /** Writes the state to its file atomically. */
  save(): void
}

/** Reads the state from `witness.json` in its folder, or starts with a new key. */
export function openStore(dir: string): Store {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const path = join(dir, 'witness.json')
  const state = existsSync(path)
    ? shape.parse(JSON.parse(readFileSync(path, 'utf8')))
    : { port: 0, seed: randomBytes(SEED_BYTES).toString('base64'), heads: {} }
  return { state, save: () => writeAtomically(path, JSON.stringify(state)) }
}
