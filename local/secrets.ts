import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writeWhole } from './file.ts'

const SECRETS_KEY_BYTES = 32 // AES-256

const shape = z.object({
  secrets_key: z.base64(),
  /** While keys are exchanged. */
  previous_secrets_key: z.base64().optional(),
  worker_password: z.string(),
})

/** The secrets of a local stack, made at its first start and kept in its folder (0600). */
export function keepSecrets(dir: string): z.infer<typeof shape> {
  const file = join(dir, 'secrets.json')
  if (existsSync(file)) return shape.parse(JSON.parse(readFileSync(file, 'utf8')))
  const secrets: z.infer<typeof shape> = {
    secrets_key: randomBytes(SECRETS_KEY_BYTES).toString('base64'),
    worker_password: randomBytes(24).toString('hex'),
  }
  writeWhole(file, JSON.stringify(secrets))
  return secrets
}
