import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { keepState } from '../../file.ts'

const SEED_BYTES = 32

const shape = z.object({
  port: z.number(),
  /** The seed of its private key, base64. */
  seed: z.base64(),
  /** The newest cosigned head by origin: size in decimal, root in base64. */
  heads: z.record(z.string(), z.object({ size: z.string(), root: z.base64() })),
})

export type Store = ReturnType<typeof openStore>

/** Reads the state, which a witness must never lose, from `witness.json` in its folder, or starts with a new key. */
export function openStore(dir: string) {
  const fresh = () => ({ port: 0, seed: randomBytes(SEED_BYTES).toString('base64'), heads: {} })
  return keepState<z.infer<typeof shape>>(join(dir, 'witness.json'), shape, fresh)
}
