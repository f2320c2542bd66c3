import { ROLLUP_FIELDS } from '../../src/db/rollup-fields.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { canonicalInputs, hashInputs } from '../../src/trust/inputs.ts'
import type { Rollup } from '../../src/trust/rollup.ts'
import { scoreAgent } from '../../src/trust/score.ts'
import { attestedAgent } from './attested.ts'
import type { Body, Harness } from './harness.ts'

/** The UTC day `count` days after another one. */
export const daysAfter = (day: string, count: number) =>
  new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10)

/** A time of a UTC day, `HH:MM:SS`. */
export const at = (day: string, time: string) => new Date(`${day}T${time}Z`)

/** An agent on an established platform of another person, with a webhook, and the platform's key. */
export async function newScored(h: Harness, options: { now?: Date; webhook_url?: string } = {}) {
  const { now, webhook_url = 'http://127.0.0.1:9/nobody' } = options
  const { operator, platform, agent, key } = await attestedAgent(h, { now, platform: { webhook_url } })
  const { reg, id } = agent as { reg: string; id: string }

  /** Reports a number of completed and failed tasks at a time. */
  async function work(when: Date, completed: number, failed = 0): Promise<void> {
    const task = (event_type: string) => ({ reg, event_type, metadata: { response_ms: 900 } })
    const events = [
      ...Array.from({ length: completed }, () => task('task_completed')),
      ...Array.from({ length: failed }, () => task('task_failed')),
    ]
    await h.reportBatch(key, events, when)
  }

  /** Reports events that lower the score of an agent by more than ten points. */
  const burn = (when: Date) =>
    h.report(
      key,
      reg,
      { event_type: 'incident', severity: 'critical', metadata: { title: 'it burns' } },
      when,
    )

  const history = (): Promise<Body[]> =>
    h.sql(
      `select day::text, overall::float8, events_considered::integer, inputs_sha256, computed_at from trust_scores
       where agent_id = $1 order by day`,
      [id],
    )
  const stats = async (): Promise<Body> => {
    const rows = await h.sql(
      `select trust_score_overall::float8 as overall, trust_level, scored_day::text, unscored_since
       from agent_stats where agent_id = $1`,
      [id],
    )
    return rows[0]
  }
  /** The webhooks that its platform received, in order. */
  const reported = (type: string): Promise<Body[]> =>
    h.sql(`select data, created_at from webhook_events where type = $2 and data ->> 'reg' = $1 order by id`, [
      reg,
      type,
    ])
  const alerts = (): Promise<Body[]> =>
    h.sql(
      `select operator_id, title, body, created_at from notifications where type = 'trust_alert' and reg = $1
       order by created_at`,
      [reg],
    )
  return { operator, platform, key, reg, id, work, burn, history, stats, reported, alerts }
}

/** The rollup rows of an agent on the days up to one, and 90 days back from it. */
async function inputsOf(h: Harness, id: string, day: string): Promise<Rollup[]> {
  const fields = ROLLUP_FIELDS.map((field) => `${field}::float8 as ${field}`)
  return h.sql(
    `select day::text, source, ${fields} from agent_evidence
     where agent_id = $1 and day <= $2::date and day > $2::date - 90 order by day`,
    [id, day],
  )
}

/** The rows of the history that differ from the score of the rollup rows of their day; expected: none. */
export async function irreproducible(h: Harness, id: string, history: readonly Body[]): Promise<string[]> {
  const wrong: string[] = []
  for (const { day, overall, inputs_sha256 } of history) {
    const rows = await inputsOf(h, id, day)
    const same = scoreAgent(rows, day)?.overall === overall && (await hashInputs(rows)) === inputs_sha256
    if (!same) wrong.push(`${day}: ${overall}, ${canonicalInputs(rows)}`)
  }
  return wrong
}

/** The history that follows from an agent's rollup rows: a row for each day on which the score changed. */
export async function changesOf(h: Harness, id: string, days: readonly string[]) {
  const rows: { day: string; overall: number; events_considered: number; inputs_sha256: string }[] = []
  let last = ''
  for (const day of days) {
    const inputs = await inputsOf(h, id, day)
    const score = scoreAgent(inputs, day)
    if (!score) continue
    const { provisional, confidence, overall, events_considered, ...dimensions } = score
    const shown = JSON.stringify([overall, events_considered, dimensions])
    if (shown !== last)
      rows.push({ day, overall, events_considered, inputs_sha256: await hashInputs(inputs) })
    last = shown
  }
  return rows
}

/**
 * Registers many agents by SQL, each with some days of independently reported work before a day and no snapshot yet.
 *
 * @param platformId the platform of all agents, or null
 */
export async function fillScored(
  h: Harness,
  owner: { id: string },
  options: { agents: number; days: number; last: string; prefix: string; platformId?: string },
): Promise<void> {
  const { agents, days, last, prefix, platformId = null } = options
  await h.sql(
    `with made as (
       insert into agents (id, reg, operator_id, platform_id, platform_state, name, description, class, specializations,
         registered_at)
       select gen_random_uuid(), $1::text || lpad(n::text, 6, '0'), $2, $3::uuid,
         case when $3::uuid is not null then 'confirmed' end, 'Filled ' || n, '', 'A', '{}', $4::date
       from generate_series(1, $5::integer) n returning id
     ), worked as (
       insert into agent_evidence (agent_id, day, source, events, completed, failed, graded_count, graded_milli)
       select id, $4::date - d, 'independent', 12, 11, 1, 12, 11000 from made, generate_series(0, $6::integer - 1) d
     )
     insert into agent_stats (agent_id, events, last_active_at, unscored_since)
     select id, 12 * $6::integer, $4::date + interval '12 hours', $4::date + interval '12 hours' from made`,
    [prefix, owner.id, platformId, last, agents, days],
  )
}
