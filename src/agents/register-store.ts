import { and, eq, lt, sql } from 'drizzle-orm'
import { takeAllowance } from '../allowances/store.ts'
import type { Db } from '../db/client.ts'
import { agent_stats, agents, number_slots, operators, platforms } from '../db/schema.ts'
import { jsonb } from '../db/sql.ts'
import { QUOTAS } from '../db/tiers.ts'
import { isFound, only, transaction } from '../db/transaction.ts'
import { ApiError } from '../errors.ts'
import type { Actor } from '../http/context.ts'
import { isFirst, keepAnswer, type Repeatable } from '../idempotency/store.ts'
import { NUMBER_SLOTS } from '../lib/agent-number.ts'
import { type Placement, toColumns } from '../members/membership.ts'
import { acceptsAgents } from '../members/membership-store.ts'
import { NO_SCORE } from '../trust/shown.ts'
import { newEvent } from '../webhooks/outbox/events.ts'
import { emit, publicationsOf } from '../webhooks/outbox/store.ts'
import { overQuota } from '../wire/quota.ts'
import { toRegistered } from './profile.ts'
import type { AgentInput } from './schema.ts'

const NUMBERS_PER_BLOCK = 9_999

interface NewAgent {
  agent: AgentInput & { id: string }
  placement: Placement
  /** One of the `NUMBER_SLOTS` slots of the year, from which the number is taken. */
  slot: number
  /** Makes the call idempotent: repeated calls register one agent. */
  repeatable: Repeatable | null
}

/**
 * Stores a new agent: counts it against the quotas of the operator, gives it the next number of a slot, and notifies its
 * platform.
 *
 * @returns its number and the deliveries of its event, or that it is a repeated call
 * @throws ApiError AGENT_LIMIT_REACHED or RATE_LIMITED at a quota
 * @throws the error 54000 of the SQL function agent_number if the slot has no number left
 */
export async function insertAgent(db: Db, { operator_id, tier }: Actor, wanted: NewAgent, now: Date) {
  const { agent, placement, slot, repeatable } = wanted
  const write = transaction<'REPEATED'>(db)
  const { platform_id } = toColumns(placement)
  const operator = eq(operators.id, operator_id)
  const tooMany = overQuota('active_agents', QUOTAS[tier].active_agents, 'active agents', 'deactivate one')

  if (platform_id) {
    write.lock(platforms, eq(platforms.id, platform_id), 'share')
    write.still(acceptsAgents(db, platform_id))
  }
  write.require(isFirst(db, repeatable), 'REPEATED')
  write.require(
    isFound(db, operators, and(operator, lt(operators.active_agents, operators.agent_limit))),
    new ApiError('AGENT_LIMIT_REACHED', tooMany),
  )
  takeAllowance(write, { operator_id, tier }, 'registrations', now)

  write.add(
    db
      .update(operators)
      .set({ active_agents: sql`${operators.active_agents} + 1` })
      .where(operator),
  )
  write.add(takeNumber(db, now.getUTCFullYear(), slot))
  const stored = write.add(
    db
      .insert(agents)
      .values({
        ...agent,
        ...toColumns(placement),
        operator_id,
        reg: takenNumber(db, now.getUTCFullYear(), slot),
        registered_at: now.toISOString(),
      })
      .returning({ reg: agents.reg }),
  )
  const suspended = sql<boolean>`(${db
    .select({ suspended: eq(operators.status, 'suspended') })
    .from(operators)
    .where(operator)})`
  write.add(db.insert(agent_stats).values({ agent_id: agent.id, suspended }))
  const data = sql`agent_payload(${agent.id}::uuid, ${jsonb(NO_SCORE)})`
  const event = { head: newEvent('agent.registered', now), agent: { agent_id: agent.id }, data }
  const emitted = write.add(emit(db, [event], now))
  const response = jsonb(toRegistered(agent, { reg: '', placement }, now)) // the number is known only below
  const reg = db.select({ reg: agents.reg }).from(agents).where(eq(agents.id, agent.id))
  write.add(keepAnswer(db, repeatable, sql`${response} || jsonb_build_object('reg', (${reg}))`))

  const refusal = await write.run()
  return refusal ? { refusal } : { reg: only(stored).reg, deliveries: publicationsOf(emitted) }
}

/** Moves a slot to its next number; after its last one, to the first of its next block. */
function takeNumber(db: Db, year: number, slot: number) {
  const isFull = sql`${number_slots.next} > ${NUMBERS_PER_BLOCK}::integer`
  return db
    .insert(number_slots)
    .values({ year, slot, block: slot + 1, next: 2 })
    .onConflictDoUpdate({
      target: [number_slots.year, number_slots.slot],
      set: {
        block: sql`${number_slots.block} + case when ${isFull} then ${NUMBER_SLOTS}::integer else 0 end`,
        next: sql`case when ${isFull} then 2 else ${number_slots.next} + 1 end`,
      },
    })
}

/** The number that `takeNumber` has taken. */
function takenNumber(db: Db, year: number, slot: number) {
  const { block, next } = number_slots
  const number = sql`agent_number(${number_slots.year}, ${block}, ${next} - 1)`
  const isSlot = and(eq(number_slots.year, year), eq(number_slots.slot, slot))
  return sql`(${db.select({ number }).from(number_slots).where(isSlot)})`
}
