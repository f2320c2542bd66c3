import { z } from 'zod'
import type { Waits } from './stack.ts'

const milliseconds = z
  .string()
  .regex(/^\d{1,6}$/, 'must be a number of milliseconds')
  .optional()

const settings = z.object({
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'must be a port from 1 to 65535')
    .transform(Number)
    .refine((port) => port >= 1 && port <= 65_535, 'must be a port from 1 to 65535')
    .default(8787),
  QSTASH_TIME_SCALE: z
    .string()
    .regex(/^\d*\.?\d+$/, 'must be a number, for example 0.001')
    .transform(Number)
    .default(1),
  REDIS_TIMEOUT_MS: milliseconds,
  REQUEST_DEADLINE_MS: milliseconds,
})

const qstash = z.object({
  QSTASH_URL: z.url(),
  QSTASH_TOKEN: z.string(),
  QSTASH_CURRENT_SIGNING_KEY: z.string(),
  QSTASH_NEXT_SIGNING_KEY: z.string(),
})

/** The settings of the Worker for QStash. */
export type QStashAccess = z.infer<typeof qstash>

/**
 * The port, the time scale, and how long the Worker waits, from the environment.
 *
 * @throws Error that names the invalid variable
 */
export function readSettings(): { port: number; timeScale: number; waits: Waits } {
  const { PORT, QSTASH_TIME_SCALE, REDIS_TIMEOUT_MS, REQUEST_DEADLINE_MS } = parse(settings)
  const waits = {
    ...(REDIS_TIMEOUT_MS && { REDIS_TIMEOUT_MS }),
    ...(REQUEST_DEADLINE_MS && { REQUEST_DEADLINE_MS }),
  }
  return { port: PORT, timeScale: QSTASH_TIME_SCALE, waits }
}

/**
 * The QStash of the environment, or null.
 *
 * @throws Error that names the variables that are missing besides `QSTASH_URL`
 */
export function givenQStash(): QStashAccess | null {
  return process.env.QSTASH_URL ? parse(qstash) : null
}

function parse<Shape extends z.ZodObject>(shape: Shape): z.infer<Shape> {
  const filled = Object.entries(process.env).filter(([, value]) => value !== '')
  const result = shape.safeParse(Object.fromEntries(filled))
  if (result.success) return result.data
  throw new Error(
    result.error.issues
      .map(({ path: [name = ''], message }) => {
        const value = process.env[String(name)]
        return value ? `${String(name)}: ${message}, not '${value}'` : `${String(name)}: required`
      })
      .join('\n'),
  )
}
