import type { Db } from '../db/client.ts'
import type { Env } from '../env.ts'

/** The arguments of a scheduled job; `now` is the time of the scheduled event. */
export interface JobScope {
  env: Env
  db: Db
  now: Date
}
