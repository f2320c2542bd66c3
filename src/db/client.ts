import { neon, neonConfig } from '@neondatabase/serverless'
import { drizzle, type NeonHttpDatabase } from 'drizzle-orm/neon-http'
import type { Env } from '../env.ts'

export type Db = NeonHttpDatabase

const DEADLOCK = '40P01'
const REPEATS_MAX = 2

neonConfig.fetchFunction = async (url: string, init: RequestInit) => {
  let reply = await sendQuery(url, init)
  // Postgres rolls back one of the transactions in a deadlock, so it can be repeated. Ordered locks do not prevent all
  // of them: rows that foreign keys share are locked version by version.
  for (let n = 0; n < REPEATS_MAX && reply.code === DEADLOCK; n++) reply = await sendQuery(url, init)
  return reply.response
}

/** Reads the response here, so that one that is interrupted or not JSON is the same error as a failed connection. */
async function sendQuery(url: string, init: RequestInit) {
  const response = await fetch(url, init)
  const { ok, status } = response
  if (!ok && status !== 400) return { response }
  const body = (await response.json()) as { code?: unknown } // Neon's protocol
  return { response: { ok, status, json: async () => body }, code: ok ? undefined : body.code }
}

/**
 * The database for one request: every statement is one HTTP round trip, which the signal aborts.
 *
 * @param env DATABASE_URL (the role of the Worker) and, outside Neon, NEON_SQL_URL
 * @param signal the request's deadline
 */
export function connect(env: Pick<Env, 'DATABASE_URL' | 'NEON_SQL_URL'>, signal: AbortSignal): Db {
  if (env.NEON_SQL_URL) neonConfig.fetchEndpoint = env.NEON_SQL_URL
  return drizzle({ client: neon(env.DATABASE_URL, { fetchOptions: { signal } }) })
}
