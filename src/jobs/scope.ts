import type { Db } from '../db/client.ts'
import type { Env } from '../env.ts'

/** What a scheduled job works with; `now` is the time of the scheduled event. */
export interface JobScope {
  env: Env
  db: Db
  now: Date
}
