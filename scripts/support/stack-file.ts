import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
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
  mail_url: z.string(),
  kyc_url: z.string(),
  web_stand_in_url: z.string(),
  witness_url: z.string(),
  pid: z.number(),
})

/** The URLs of the parts of a running stack. */
export type StackFile = z.infer<typeof shape>

export const STACK_FILE = 'stack.json'

/** The folder of the local stack: LOCAL_DIR, or `.local` of the project. */
export const LOCAL_DIR = resolve(process.env.LOCAL_DIR || join(import.meta.dirname, '../../.local'))

/**
 * Reads the URLs of the running stack.
 *
 * @throws Error when no stack is running
 */
export function readStackFile(dir = LOCAL_DIR): StackFile {
  const stack = read(join(dir, STACK_FILE))
  if (!stack || !isAlive(stack.pid)) {
    throw new Error(`no stack is running in ${dir}: start one with npm run dev`)
  }
  return stack
}

function read(file: string): StackFile | null {
  try {
    return shape.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

/** Whether the process exists: a killed stack leaves its file behind. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
