import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { byAgent } from '../../../src/activity/entries.ts'
import { withClient } from '../migrate.ts'

const OPERATOR = '00000000-0000-7000-8000-000000000001'
const LATE_MS = 60
const SKEW_MS = 5_000
const PLENTY = 20_000_000

/** An agent that test traffic reports on. */
interface Busy {
  id: string
  reg: string
}

/** The log leaf and keys of these tests. */
export const SAYS = {
  origin: 'registry.example/log',
  leaf: '{"v":1,"kind":"log","origin":"registry.example/log","spec":"https://registry.example/transparency"}',
  keys: [],
}

export const newSeed = () => randomBytes(32)

/** Inserts an operator and agents by SQL. */
export async function fillBusy(client: pg.ClientBase | pg.Pool, count: number): Promise<Busy[]> {
  await client.query(
    `insert into operators (id, issuer, subject, email, name, tier, agent_limit, notification_prefs, digest_week,
       created_at, updated_at)
     values ($1, 'i', 's', 'a@example.com', 'A', 'enterprise', 10000, '{"incident_alerts":false}', '2026-11-16',
       '2026-11-16', '2026-11-16')`,
    [OPERATOR],
  )
  const { rows } = await client.query<Busy>(
    `with made as (
       insert into agents (id, reg, operator_id, name, description, class, specializations, registered_at)
       select gen_random_uuid(), 'REG-2026-0001-' || lpad(n::text, 4, '0') || '-U', $1, 'Busy', '', 'A', '{}', '2026-11-16'
       from generate_series(1, $2::integer) n returning id, reg
     ), counted as (insert into agent_stats (agent_id) select id from made)
     select id, reg from made order by id`,
    [OPERATOR, count],
  )
  return rows
}

/** Reports events of agents, in the transaction of the client if there is one. */
export async function append(
  client: pg.ClientBase | pg.Pool,
  regs: readonly string[],
  at: Date,
): Promise<void> {
  const events = regs.map((reg) => ({
    id: randomUUID(),
    input: {
      reg,
      event_type: 'task_completed' as const,
      severity: 'info' as const,
      metadata: { quality: 0.9 },
    },
    incident: null,
  }))
  await client.query('select append_events($1, null, $2, $3, $3::integer::bigint, 0, $4, true, $5)', [
    OPERATOR,
    'operator',
    PLENTY,
    at.toISOString(),
    JSON.stringify(byAgent(events)),
  ])
}

/**
 * Reports events of random agents with its own clock; some commits are late, some transactions are rolled back.
 *
 * @param now the time on average
 */
export async function write(
  url: string,
  agents: readonly Busy[],
  { transactions, now }: { transactions: number; now: Date },
): Promise<void> {
  const at = new Date(now.getTime() + randomInt(-SKEW_MS, SKEW_MS))
  await withClient(url, async (client) => {
    for (let n = 0; n < transactions; n++) {
      const regs = Array.from({ length: randomInt(1, 6) }, () => agents[randomInt(agents.length)]?.reg ?? '')
      const fate = randomInt(10)
      await client.query('begin')
      await append(client, regs, at)
      if (fate < 3) await sleep(randomInt(LATE_MS))
      await client.query(fate === 9 ? 'rollback' : 'commit')
    }
  })
}

/** Scores agents like a page of snapshots: locks their rows in order of id, then writes the history. */
export async function score(
  url: string,
  agents: readonly Busy[],
  { transactions, days }: { transactions: number; days: readonly string[] },
): Promise<void> {
  await withClient(url, async (client) => {
    for (let n = 0; n < transactions; n++) {
      const page = agents.filter(() => randomInt(2) === 0).map(({ id }) => id)
      await client.query('begin')
      await scorePage(client, page, days)
      if (randomInt(4) === 0) await sleep(randomInt(LATE_MS))
      await client.query('commit')
      await sleep(5)
    }
  })
}

export async function scorePage(
  client: pg.ClientBase | pg.Pool,
  ids: readonly string[],
  days: readonly string[],
): Promise<void> {
  await client.query(
    `with locked as materialized (
       select agent_id, events from agent_stats where agent_id = any ($1) order by agent_id for no key update
     ), taken as (
       update agent_stats s set unscored_since = null, scored_day = $3::date, score_revision = score_revision + 1
       from locked l where s.agent_id = l.agent_id returning s.agent_id, s.events
     )
     insert into trust_scores as h (agent_id, day, overall, reliability, accuracy, safety, speed, consistency,
       events_considered, algorithm_version, inputs_sha256, computed_at)
     select agent_id, day, 90, 90, 90, 90, 90, 90, events, '1.0', encode(sha256(int8send((random() * 1e9)::bigint)), 'hex'), $3::date
     from taken, unnest($2::date[]) as d (day)
     on conflict (agent_id, day) do update set events_considered = excluded.events_considered,
       inputs_sha256 = excluded.inputs_sha256`,
    [ids, days, days.at(-1)],
  )
}
