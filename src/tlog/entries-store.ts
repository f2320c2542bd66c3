import { sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { jsonb } from '../db/sql.ts'
import type { Actor } from '../http/context.ts'
import { PUBLIC_EVENTS } from '../wire/page.ts'
import type { Place } from './cursor.ts'
import type { LogEntry } from './responses.ts'
import { PUBLIC_ENTRIES_MAX } from './schema.ts'

type States = { entries: Pick<LogEntry, 'index' | 'leaf'>[]; more: boolean }

const PAGE_BYTES = 990_000 // with the cursor, a response is smaller than 1 MB

interface Query {
  kinds: readonly string[]
  from: Place
  limit: number
}

type Page = { entries: (LogEntry & { opening: LogEntry['opening'] | null })[]; more: boolean } & Place

/**
 * A page of an agent's leaves below the newest signed head, with the openings that this reader may see.
 *
 * @param reader the operator or platform that may read with its credential; null for the public
 * @returns null if there is no such agent; `next` is where the next page starts, null on the last page
 */
export async function listEntries(
  db: Db,
  reg: string,
  reader: Actor | null,
  { kinds, from, limit }: Query,
): Promise<{ entries: LogEntry[]; next: Place | null } | null> {
  const operator = reader?.platform_id ? null : (reader?.operator_id ?? null)
  const { rows } = await db.execute<{ page: Page | null }>(sql`
    select tlog_entries(${reg}, ${operator}::uuid, ${reader?.platform_id ?? null}::uuid,
      array(select jsonb_array_elements_text(${jsonb(kinds)})), ${from.seq}::bigint, ${from.index}::bigint,
      ${limit}::integer, ${PUBLIC_ENTRIES_MAX}::integer, ${PAGE_BYTES}::integer, ${PUBLIC_EVENTS}::integer) as page`)
  const page = rows[0]?.page
  if (!page) return null
  const { entries, more, seq, index } = page
  return {
    entries: entries.map(({ opening, ...entry }) => ({ ...entry, ...(opening && { opening }) })),
    next: more ? { seq, index } : null,
  }
}

/**
 * A page of the leaves of an operator or platform below the newest signed head.
 *
 * @param subject id of the operator, or slug of the platform
 * @param after only leaves after this index
 * @returns null if there is no such operator or platform
 */
export async function listStates(
  db: Db,
  kind: 'operator' | 'platform',
  subject: string,
  { after, limit }: { after: number; limit: number },
): Promise<States | null> {
  const { rows } = await db.execute<{ page: States | null }>(
    sql`select tlog_states(${kind}, ${subject}, ${after}::bigint, ${limit}::integer) as page`,
  )
  return rows[0]?.page ?? null
}
