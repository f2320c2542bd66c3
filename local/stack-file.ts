import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const shape = z.object({
  base_url: z.string(),
  database_url: z.string(),
  neon_sql_url: z.string(),
  redis_rest_url: z.string(),
  redis_rest_token: z.string(),
  qstash_url: z.string(),
  identity_url: z.string(),
  mailbox_url: z.string(),
  pid: z.number(),
})

/** Where the parts of a running stack answer. */
export type StackFile = z.infer<typeof shape>

/** The folder of the local stack: LOCAL_DIR, or `.local` of the project. */
export const LOCAL_DIR = process.env.LOCAL_DIR ?? new URL('../.local', import.meta.url).pathname

/**
 * Reads where the running stack answers.
 *
 * @throws Error when none runs
 */
export function readStackFile(dir = LOCAL_DIR): StackFile {
  const file = join(dir, 'stack.json')
  if (!existsSync(file)) throw new Error('no stack is running here: start one with npm run dev')
  return shape.parse(JSON.parse(readFileSync(file, 'utf8')))
}
