import { neon, neonConfig } from '@neondatabase/serverless'
import { drizzle, type NeonHttpDatabase } from 'drizzle-orm/neon-http'
import type { Env } from '../env.ts'

export type Db = NeonHttpDatabase

const DEADLOCK = '40P01'
const REPEATS_MAX = 2

neonConfig.fetchFunction = async (url: string, init: RequestInit) => {
  let reply = await ask(url, init)
  // Of those who wait for each other one is rolled back, all of it. Postgres does that to rows, too, which it locks
  // version by version while foreign keys share them: no order of ours prevents it.
  for (let n = 0; n < REPEATS_MAX && reply.code === DEADLOCK; n++) reply = await ask(url, init)
  return reply.response
}

/** The driver names a connection that fails, not a response that breaks off or is no JSON: read here, it is the same. */
async function ask(url: string, init: RequestInit) {
  const response = await fetch(url, init)
  const { ok, status } = response
  if (!ok && status !== 400) return { response }
  const body = (await response.json()) as { code?: unknown } // of Neon's protocol
  return { response: { ok, status, json: async () => body }, code: ok ? undefined : body.code }
}

/**
 * A database for one request: every statement is one HTTP round trip, given up when the signal fires.
 *
 * @param env DATABASE_URL (the Worker's role) and, outside Neon, NEON_SQL_URL
 * @param signal the request's deadline
 */
export function connect(env: Pick<Env, 'DATABASE_URL' | 'NEON_SQL_URL'>, signal: AbortSignal): Db {
  if (env.NEON_SQL_URL) neonConfig.fetchEndpoint = env.NEON_SQL_URL
  return drizzle({ client: neon(env.DATABASE_URL, { fetchOptions: { signal } }) })
}
