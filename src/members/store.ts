import { and, eq, inArray, sql } from 'drizzle-orm'
import { auditEach } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import { PLATFORM_STATES, type PlatformStatus } from '../db/enums.ts'
import { agents, platforms } from '../db/schema.ts'
import { transaction } from '../db/transaction.ts'
import { type OwnPlatform, ownPlatformNotFound } from '../wire/own-platform.ts'
import { isOwn, isOwnActive } from '../wire/own-platform-store.ts'
import { LIST_DEPTH, limitsOf } from '../wire/page.ts'
import { nameWithheld, type WithheldField } from '../wire/withheld.ts'
import { shownState } from './membership-store.ts'
import type { Member } from './responses.ts'
import type { MemberQuery } from './schema.ts'

type MemberRow = Omit<Member, 'withheld'> & { withheld: WithheldField[] | null }

/** An agent `a` on platform `p`, with its counters `s`, operator `o`, and public texts `t`. */
const MEMBER = sql`jsonb_build_object('reg', a.reg, 'name', t.name, 'class', a.class, 'status', a.status,
  'ownership_status', a.ownership_status, 'domain', a.domain, 'operator_id', o.id, 'operator_name', t.operator_name,
  'operator_name_verified', t.operator_name_verified, 'operator_kyc_status', o.kyc_status, 'operator_status', o.status,
  'withheld', t.withheld,
  'trust_score_overall', s.trust_score_overall::text,
  'trust_score_updated', case when s.trust_score_overall is not null then wire_time(s.trust_score_updated) end,
  'tasks_completed', s.tasks_completed, 'platform_state', ${shownState(sql`p`, sql`a.platform_state`)},
  'platform_since', wire_time(a.platform_since), 'platform_leaves_at', wire_time(a.platform_leaves_at),
  'registered_at', wire_time(a.registered_at))`

const JOINS = sql`join agent_stats s on s.agent_id = a.id join operators o on o.id = a.operator_id
  cross join lateral public_agent(a, o) t`

/**
 * A page of the agents on an operator's platform, those that joined last first. Each state is a range of an index.
 *
 * @returns `total` is at most `LIST_DEPTH`, where the list ends
 * @throws ApiError NOT_FOUND if the operator has no such platform
 */
export async function requireMembers(db: Db, own: OwnPlatform, { state, ...page }: MemberQuery) {
  const { limit, offset } = limitsOf(page)
  const states = state === undefined ? PLATFORM_STATES : [state]
  const ranges = states.map(
    (one) => sql`(select id, platform_since from agents
        where platform_id = (select id from platform) and platform_state = ${one}
        order by platform_since desc, id desc limit ${LIST_DEPTH}::integer)`,
  )
  const result = await db.execute<{ total: number; data: MemberRow[] }>(sql`
    with platform as (
      select id, status from platforms where slug = ${own.slug} and operator_id = ${own.operator_id}::uuid
    ), found as materialized (
      select * from (${sql.join(ranges, sql` union all `)}) each
      order by platform_since desc, id desc limit ${LIST_DEPTH}::integer
    ), page as (
      select * from found order by platform_since desc, id desc limit ${limit}::integer offset ${offset}::integer
    )
    select (select count(*) from found)::integer as total,
      coalesce((select jsonb_agg(${MEMBER} order by f.platform_since desc, f.id desc)
        from page f join agents a on a.id = f.id ${JOINS}), '[]'::jsonb) as data
    from platform p`)
  const [row] = result.rows
  if (!row) throw ownPlatformNotFound(own.slug)
  return { ...row, data: row.data.map(nameWithheld) }
}

type Confirmed = {
  status: PlatformStatus
  /** Null if the agent is not on the platform. */
  member: Member | null
}

/**
 * Confirms that an agent is on an operator's platform, with an audit row if it was not confirmed before.
 *
 * @returns the agent afterward; null if the operator has no such platform
 */
export async function confirmMember(
  db: Db,
  own: OwnPlatform,
  reg: string,
  now: Date,
): Promise<Confirmed | null> {
  const { slug, operator_id } = own
  const open = db.select({ id: platforms.id }).from(platforms).where(isOwnActive(own))
  const claim = and(
    eq(agents.reg, reg),
    eq(agents.platform_state, 'claimed'),
    inArray(agents.platform_id, open),
  )
  const entry = { operator_id: sql`${operator_id}::uuid`, target: sql`${`${slug}/${reg}`}` }
  const write = transaction(db)
  write.lock(platforms, isOwn(own), 'share')
  write.lock(agents, claim)
  write.add(auditEach(db, 'platform.agent_confirmed', agents, { ...entry, where: claim }, now))
  write.add(db.update(agents).set({ platform_state: 'confirmed' }).where(claim))
  const shown = write.add(
    db.execute<Omit<Confirmed, 'member'> & { member: MemberRow | null }>(sql`
      select p.status, (select ${MEMBER} from agents a ${JOINS} where a.reg = ${reg} and a.platform_id = p.id) as member
      from platforms p where p.slug = ${slug} and p.operator_id = ${operator_id}::uuid`),
  )
  await write.run()
  const [row] = shown.result.rows
  return row ? { ...row, member: row.member && nameWithheld(row.member) } : null
}
