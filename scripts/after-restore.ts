import { and, eq, gt, isNull, ne, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { auditEach } from '../src/audit/store.ts'
import {
  agent_keys,
  api_keys,
  mails,
  type number_slots,
  operators,
  type redactions,
  sessions,
} from '../src/db/schema.ts'
import { jsonb, timestamptz } from '../src/db/sql.ts'
import { NUMBER_SLOTS } from '../src/lib/agent-number.ts'
import { mondayOf } from '../src/notifications/week.ts'
import { redactEvent } from './admin/redact.ts'
import { changeTexts } from './admin/texts.ts'
import { inTransaction, withDatabase } from './support/database.ts'

// A slot may have been at the end of its block at the restore point, so only the block after the next is surely unused.
const SKIPPED_BLOCKS = 2

type Lost = {
  slots: Pick<typeof number_slots.$inferSelect, 'year' | 'slot' | 'block'>[]
  revoked: Pick<typeof api_keys.$inferSelect, 'id' | 'revoked_at'>[]
  suspended: (typeof operators.$inferSelect)['id'][]
  unsubscribed: Pick<typeof operators.$inferSelect, 'id' | 'mail_opt_outs'>[]
  /** Keys of agents that are revoked or expired. */
  ended: (typeof agent_keys.$inferSelect)[]
  redacted: Pick<typeof redactions.$inferSelect, 'event_id' | 'reason' | 'erased_at'>[]
  /** Numbers of agents and slugs of platforms whose texts are withheld. */
  withheld: string[]
}

/**
 * Makes a database safe after it was restored to an earlier time: no number is allocated again, all sessions end, keys,
 * keys of agents, and operators blocked since then stay blocked, and no mail is sent twice. Safe to repeat, and while the
 * service runs.
 *
 * @param databaseUrl connection string of the owner of the restored database
 * @param lostUrl the same for the database before the restore, if it still responds; it is only read
 * @returns lines that state what was done
 */
export async function repairRestored(
  { databaseUrl, lostUrl }: { databaseUrl: string; lostUrl: string | undefined },
  now: Date,
): Promise<string> {
  if (lostUrl === databaseUrl)
    throw new Error('LOST_DATABASE_URL: must be another database than DATABASE_URL')
  const lost = lostUrl ? await withDatabase(lostUrl, (db) => readLost(db, now)) : null
  return withDatabase(databaseUrl, (db) => repairAll(db, lost, now))
}

async function repairAll(db: NodePgDatabase, lost: Lost | null, now: Date): Promise<string> {
  const done = await inTransaction(db, async () => ({
    operators: await suspendAgain(db, lost?.suspended ?? [], now),
    keys: await revokeAgain(db, lost?.revoked ?? [], now),
    agentKeys: await endAgain(db, lost?.ended ?? [], now),
    sessions: await endSessions(db, now),
    slots: await skipNumbers(db, lost?.slots ?? [], now),
  }))
  const keptBack = await inTransaction(db, () => keepMailsBack(db, lost?.unsubscribed ?? [], now))
  const isPaused = await pauseTransparencyLog(db)
  const redacted = await redactAgain(db, lost?.redacted ?? [], now)
  const withheld = await withholdAgain(db, lost?.withheld ?? [], now)
  const erased = redacted.filter(({ erased_at }) => erased_at !== null).map(({ event_id }) => event_id)
  return [
    `numbers: ${done.slots} slots of ${now.getUTCFullYear()} skipped ${SKIPPED_BLOCKS} blocks each`,
    `sessions: ${done.sessions} ended`,
    `mails: ${keptBack} pending mails are not sent`,
    lost
      ? `API keys: ${done.keys} revoked again; keys of agents: ${done.agentKeys} ended again; operators: ${done.operators} suspended again`
      : 'API keys, keys of agents, and operators: without LOST_DATABASE_URL, those revoked or suspended since the restore point are active again, and redacted events and withheld texts are visible again',
    ...(lost
      ? [
          `redactions: ${redacted.length} repeated${erased.length > 0 ? `; were erased, must be erased again: ${erased.join(', ')}` : ''}`,
          `withheld texts: ${withheld} withheld again`,
        ]
      : []),
    ...(isPaused ? ['transparency log: paused; "admin -- log-resume" is the last step'] : []),
  ].join('\n')
}

/**
 * Prevents mails that were sent since the restore point from being sent again: those pending then, and the digest of
 * last week. Also repeats the unsubscriptions since then.
 *
 * @returns how many mails were pending
 */
async function keepMailsBack(
  db: NodePgDatabase,
  unsubscribed: Lost['unsubscribed'],
  now: Date,
): Promise<number> {
  const monday = sql`${mondayOf(now)}::date`
  await db.execute(sql`
    update operators o set digest_week = greatest(o.digest_week, ${monday}),
      mail_opt_outs = array(select unnest(o.mail_opt_outs) union select unnest(l.mail_opt_outs) order by 1)
    from operators known
    left join jsonb_to_recordset(${jsonb(unsubscribed)}) as l (id uuid, mail_opt_outs text[]) on l.id = known.id
    where o.id = known.id and (o.digest_week < ${monday} or not l.mail_opt_outs <@ o.mail_opt_outs)`)
  const { rowCount } = await db.update(mails).set({ status: 'skipped' }).where(eq(mails.status, 'pending'))
  return rowCount ?? 0
}

/** Pauses the transparency log; false if the database has none. */
async function pauseTransparencyLog(db: NodePgDatabase): Promise<boolean> {
  const { rows } = await db.execute(
    sql`update tlog_state set paused = coalesce(paused, 'restore') where size > 0 returning size`,
  )
  return rows.length > 0
}

/** All agents and platforms, by number and slug. */
const TEXTS = sql`select reg as name, texts_withheld_at from agents
  union all select slug, texts_withheld_at from platforms`

async function readLost(db: NodePgDatabase, now: Date): Promise<Lost | null> {
  const { rows } = await db.execute<Lost>(sql`
    select coalesce((select jsonb_agg(jsonb_build_object('year', year, 'slot', slot, 'block', block))
        from number_slots), '[]') as slots,
      coalesce((select jsonb_agg(jsonb_build_object('id', id, 'revoked_at', revoked_at))
        from api_keys where revoked_at is not null), '[]') as revoked,
      coalesce((select jsonb_agg(id) from operators where status = 'suspended'), '[]') as suspended,
      coalesce((select jsonb_agg(jsonb_build_object('id', id, 'mail_opt_outs', mail_opt_outs))
        from operators where mail_opt_outs <> '{}'), '[]') as unsubscribed,
      coalesce((select jsonb_agg(to_jsonb(k)) from agent_keys k
        where revoked_at is not null or expires_at <= ${timestamptz(now)}), '[]') as ended,
      coalesce((select jsonb_agg(jsonb_build_object('event_id', event_id, 'reason', reason, 'erased_at', erased_at))
        from redactions), '[]') as redacted,
      coalesce((select jsonb_agg(name) from (${TEXTS}) t where texts_withheld_at is not null), '[]') as withheld`)
  return rows[0] ?? null
}

/** Repeats the redactions since the restore point, of events that still exist. */
async function redactAgain(db: NodePgDatabase, lost: Lost['redacted'], now: Date): Promise<Lost['redacted']> {
  const { rows } = await db.execute<Lost['redacted'][number]>(sql`
    select l.* from jsonb_to_recordset(${jsonb(lost)}) as l (event_id uuid, reason text, erased_at timestamptz)
    join activity_events e on e.id = l.event_id
    where not exists (select from redactions r where r.event_id = l.event_id)`)
  for (const { event_id, reason } of rows)
    await inTransaction(db, () => redactEvent(db, event_id, reason, now))
  return rows
}

/** Withholds the texts again that were withheld since the restore point; returns of how many agents and platforms. */
async function withholdAgain(db: NodePgDatabase, lost: Lost['withheld'], now: Date): Promise<number> {
  const { rows } = await db.execute<{ name: string }>(sql`
    select name from (${TEXTS}) t where texts_withheld_at is null
      and name in (select jsonb_array_elements_text(${jsonb(lost)}))`)
  for (const { name } of rows) await inTransaction(db, () => changeTexts(db, name, true, now))
  return rows.length
}

async function suspendAgain(db: NodePgDatabase, suspended: Lost['suspended'], now: Date) {
  const { id, status } = operators
  const where = and(
    sql`${id} in (select jsonb_array_elements_text(${jsonb(suspended)})::uuid)`,
    ne(status, 'suspended'),
  )
  await db.select({ id }).from(operators).where(where).orderBy(id).for('no key update')
  await auditEach(db, 'operator.suspended', operators, { operator_id: id, target: sql`null`, where }, now)
  const { rowCount } = await db
    .update(operators)
    .set({ status: 'suspended', updated_at: now.toISOString() })
    .where(where)
  return rowCount ?? 0
}

/** Keys keep the time at which they were revoked. */
async function revokeAgain(db: NodePgDatabase, revoked: Lost['revoked'], now: Date) {
  const { id, operator_id, revoked_at } = api_keys
  const lost = sql`jsonb_to_recordset(${jsonb(revoked)}) as lost (id uuid, revoked_at timestamptz)`
  const where = and(sql`${id} in (select lost.id from ${lost})`, isNull(revoked_at))
  await db.select({ id }).from(api_keys).where(where).orderBy(id).for('no key update')
  await auditEach(db, 'api_key.revoked', api_keys, { operator_id, target: id, where }, now)
  const { rowCount } = await db
    .update(api_keys)
    .set({ revoked_at: sql`(select lost.revoked_at from ${lost} where lost.id = ${id})` })
    .where(where)
  return rowCount ?? 0
}

/**
 * Ends keys of agents again that ended since the restore point, also those that were registered since, so that nobody can
 * register them again. Each gets the leaves of its registration and of its end, as the earlier ones are void.
 */
async function endAgain(db: NodePgDatabase, ended: Lost['ended'], now: Date) {
  const { kid, revoked_at } = agent_keys
  const lost = sql`jsonb_populate_recordset(null::agent_keys, ${jsonb(ended)}) as lost`
  const added = await db.execute<{ kid: string }>(sql`
    insert into agent_keys (kid, agent_id, reg, x, added_at, expires_at)
    select lost.kid, a.id, a.reg, lost.x, lost.added_at, lost.expires_at from ${lost} join agents a on a.id = lost.agent_id
    on conflict do nothing returning kid`)
  const its = sql`lost.kid = ${kid} and lost.agent_id = ${agent_keys.agent_id} and lost.revoked_at is not null`
  const where = and(isNull(revoked_at), sql`exists (select from ${lost} where ${its})`)
  const operator_id = sql`(select operator_id from agents a where a.id = ${agent_keys.agent_id})`
  await auditEach(db, 'agent_key.revoked', agent_keys, { operator_id, target: kid, where }, now)
  const revoked = await db
    .update(agent_keys)
    .set({
      revoked_at: sql`(select lost.revoked_at from ${lost} where ${its})`,
      reason: sql`(select lost.reason from ${lost} where ${its})`,
    })
    .where(where)
    .returning({ kid })
  return new Set([...added.rows, ...revoked].map((one) => one.kid)).size
}

async function endSessions(db: NodePgDatabase, now: Date) {
  const { id, operator_id, ended_at, expires_at } = sessions
  const at = now.toISOString()
  const where = and(isNull(ended_at), gt(expires_at, at))
  await db.select({ id }).from(sessions).where(where).orderBy(id).for('no key update')
  await auditEach(db, 'session.ended', sessions, { operator_id, target: id, where }, now)
  const { rowCount } = await db.update(sessions).set({ ended_at: at }).where(where)
  return rowCount ?? 0
}

async function skipNumbers(db: NodePgDatabase, lost: Lost['slots'], now: Date) {
  const year = sql`${now.getUTCFullYear()}::smallint` // numbers of earlier years are never allocated again
  const skipped = sql`${SKIPPED_BLOCKS * NUMBER_SLOTS}::integer`
  const { rowCount } = await db.execute(sql`
    insert into number_slots as s (year, slot, block, next)
    select ${year}, n, coalesce(lost.block, n + 1) + ${skipped}, 1
    from generate_series(0, ${NUMBER_SLOTS - 1}::integer) n
    left join jsonb_to_recordset(${jsonb(lost)}) as lost (year smallint, slot smallint, block integer)
      on lost.year = ${year} and lost.slot = n
    on conflict (year, slot) do update set block = greatest(s.block + ${skipped}, excluded.block), next = 1`)
  return rowCount ?? 0
}
