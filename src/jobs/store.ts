import { sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'

/** Remembers that a job has ended well. */
export async function recordRun(db: Db, name: string, now: Date): Promise<void> {
  await db.execute(sql`
    insert into job_runs as j (name, succeeded_at) values (${name}, ${now.toISOString()}::timestamptz)
    on conflict (name) do update set succeeded_at = greatest(j.succeeded_at, excluded.succeeded_at)`)
}
