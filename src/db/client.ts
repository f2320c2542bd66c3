import { neon, neonConfig } from '@neondatabase/serverless'
import { drizzle, type NeonHttpDatabase } from 'drizzle-orm/neon-http'
import type { Env } from '../env.ts'

export type Db = NeonHttpDatabase

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
