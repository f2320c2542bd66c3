import pg from 'pg'
import { z } from 'zod'

// A slot may be at the end of its block at the restore point: only the block after the next leaves room for certain.
const SKIPPED_BLOCKS = 2
const SLOTS = 8 // as in src/agents/store.ts

const lostState = z.object({
  slots: z.array(z.object({ year: z.number(), slot: z.number(), block: z.number() })),
  revoked: z.array(z.object({ id: z.uuid(), revoked_at: z.string() })),
  suspended: z.array(z.uuid()),
})
type LostState = z.infer<typeof lostState>

const outcome = z.object({ slots: z.number(), sessions: z.number(), keys: z.number(), operators: z.number() })

/**
 * Makes a database safe that was set back to an earlier time: no number is handed out again, all sessions end, and
 * what was refused since then stays refused. May be run again, also while the service runs.
 *
 * @param databaseUrl the owner of the database that was set back
 * @param lostUrl the owner of the database as it was before that, when it still answers; it is only read
 * @returns lines that say what was done
 */
export async function repairRestored(
  { databaseUrl, lostUrl }: { databaseUrl: string; lostUrl: string | undefined },
  now: Date,
): Promise<string> {
  if (lostUrl === databaseUrl)
    throw new Error('LOST_DATABASE_URL: must be another database than DATABASE_URL')
  const lost = lostUrl ? await withClient(lostUrl, readLost) : null
  const done = await withClient(databaseUrl, (client) => repair(client, lost, now))
  return [
    `numbers: ${done.slots} slots of ${now.getUTCFullYear()} skipped ${SKIPPED_BLOCKS} blocks each`,
    `sessions: ${done.sessions} ended`,
    lost
      ? `API keys: ${done.keys} revoked again; operators: ${done.operators} suspended again`
      : 'API keys and operators: those revoked or suspended since are let in again, unless LOST_DATABASE_URL tells of them',
  ].join('\n')
}

async function readLost(client: pg.Client): Promise<LostState> {
  const { rows } = await client.query(
    `select coalesce((select jsonb_agg(jsonb_build_object('year', year, 'slot', slot, 'block', block))
         from number_slots), '[]') as slots,
       coalesce((select jsonb_agg(jsonb_build_object('id', id, 'revoked_at', revoked_at))
         from api_keys where revoked_at is not null), '[]') as revoked,
       coalesce((select jsonb_agg(id) from operators where status = 'suspended'), '[]') as suspended`,
  )
  return lostState.parse(rows[0])
}

async function repair(
  client: pg.Client,
  lost: LostState | null,
  now: Date,
): Promise<z.infer<typeof outcome>> {
  const { rows } = await client.query(
    `with lost_slots as (
       select * from jsonb_to_recordset($1::jsonb) as l (year smallint, slot smallint, block integer)
     ), slots as (
       insert into number_slots as s (year, slot, block, next)
       select $4::smallint, n, coalesce(l.block, n + 1) + $5::integer, 1
       from generate_series(0, ${SLOTS - 1}) n left join lost_slots l on l.year = $4::smallint and l.slot = n
       on conflict (year, slot) do update set
         block = greatest(s.block + $5::integer, excluded.block), next = 1
       returning 1
     ), sessions_ended as (
       update sessions set ended_at = $6::timestamptz
       where ended_at is null and expires_at > $6::timestamptz
       returning operator_id, id as target, 'session.ended' as action
     ), keys_revoked as (
       update api_keys k set revoked_at = l.revoked_at
       from jsonb_to_recordset($2::jsonb) as l (id uuid, revoked_at timestamptz)
       where k.id = l.id and k.revoked_at is null
       returning k.operator_id, k.id::text as target, 'api_key.revoked' as action
     ), operators_suspended as (
       update operators set status = 'suspended', updated_at = $6::timestamptz
       where id in (select jsonb_array_elements_text($3::jsonb)::uuid) and status <> 'suspended'
       returning id as operator_id, null::text as target, 'operator.suspended' as action
     ), audited as (
       insert into audit_log (id, operator_id, action, target, created_at)
       select gen_random_uuid(), operator_id, action, target, $6::timestamptz
       from (select * from sessions_ended union all select * from keys_revoked union all select * from operators_suspended) done
     )
     select (select count(*) from slots)::integer as slots,
       (select count(*) from sessions_ended)::integer as sessions,
       (select count(*) from keys_revoked)::integer as keys,
       (select count(*) from operators_suspended)::integer as operators`,
    [
      JSON.stringify(lost?.slots ?? []),
      JSON.stringify(lost?.revoked ?? []),
      JSON.stringify(lost?.suspended ?? []),
      now.getUTCFullYear(), // the numbers of an earlier year are never handed out again
      SKIPPED_BLOCKS * SLOTS,
      now.toISOString(),
    ],
  )
  return outcome.parse(rows[0])
}

async function withClient<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end()
  }
}
