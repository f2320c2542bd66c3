import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { readSources } from '../../scripts/migrate/sources.ts'
import { shared } from '../support/harness.ts'
import { type Log, makeOlder, newLog, takeTurn } from '../support/log/database.ts'
import { append, scorePage, write } from '../support/log/traffic.ts'
import { checkLog } from '../support/log-check.ts'

const h = shared()

const AGENTS = 16
const DAYS = ['2026-11-17', '2026-11-18', '2026-11-19']
const NOW = new Date('2026-11-20T12:00:00Z')
const LATER = new Date('2026-11-21T00:10:00Z')
const MARKED = 20_000
const ROUNDS = 2
const MARKS = ' unlogged_since = coalesce(s.unlogged_since, p_at),'

/** Replaces append_events by its version without the transparency log: reports then leave no mark. */
async function reportWithoutMarks({ rows }: Log): Promise<void> {
  const { text = '' } = readSources().find(({ name }) => name === 'functions/append_events') ?? {}
  expect(text).toContain(MARKS)
  await rows(text.replaceAll(MARKS, ''))
}

async function fill({ pool, agents, rows }: Log): Promise<void> {
  for (const day of DAYS) {
    for (const [n, { reg }] of agents.entries()) {
      await append(
        pool,
        Array.from({ length: 1 + (n % 5) }, () => reg),
        new Date(`${day}T12:00:00Z`),
      )
    }
  }
  await rows(
    `insert into incidents (id, agent_id, event_id, title, description, severity, status, created_at, resolution, resolved_at)
     select gen_random_uuid(), e.agent_id, e.id, 'Down', 'It is down', 'error',
       case when e.seq = 1 then 'resolved' else 'open' end, e.created_at,
       case when e.seq = 1 then 'Up' end, case when e.seq = 1 then e.created_at end
     from activity_events e where e.seq <= 2`,
  )
  await rows(
    `insert into redactions (event_id, agent_id, reason, redacted_at, added)
     select e.id, e.agent_id, 'law', $1, '{}' from activity_events e where e.seq = 3`,
    [NOW],
  )
  await scorePage(
    pool,
    agents.map(({ id }) => id),
    DAYS,
  )
}

it('logs everything stored before it within two rounds, while reports continue without marks', async () => {
  await using log = await newLog(h, AGENTS)
  const { pool, rows, url, agents } = log
  await reportWithoutMarks(log)
  await fill(log)
  await makeOlder(log, 0)

  let over = false
  const writers = Promise.all(
    Array.from({ length: 6 }, () => write(url, agents, { transactions: 15, now: NOW })),
  ).finally(() => {
    over = true
  })
  const round = async () => {
    while (await takeTurn(pool, 64, LATER));
    await rows('select tlog_mark($1, $2)', [MARKED, LATER])
  }
  while (!over) {
    await round()
    await sleep(5)
  }
  await writers
  for (let n = 0; n < ROUNDS; n++) await round()
  await scorePage(
    pool,
    agents.map(({ id }) => id),
    [...DAYS, '2026-11-20'],
  )
  while (await takeTurn(pool, 64, LATER));

  expect((await checkLog(pool)).problems).toEqual([])
  const [left] = await rows(
    `select (select count(*)::integer from agent_stats where events <> logged_events or unlogged_since is not null) as behind,
       (select count(*)::integer from tlog_outbox) as changes, (select count(*)::integer from tlog_days) as days`,
  )
  expect(left).toEqual({ behind: 0, changes: 0, days: 0 })
  const [whole] = await rows(
    `select (select array_agg(distinct (revision)) from agents) as revisions,
       (select count(*)::integer from tlog_facts where kind = 'agent') as agents,
       (select count(*)::integer from tlog_facts f join incidents i on i.id::text = f.subject
         where f.kind = 'incident' and f.rev = 1 + (i.status = 'resolved')::integer) as incidents,
       (select count(*)::integer from tlog_facts where kind = 'incident') as incident_leaves,
       (select count(*)::integer from tlog_facts where kind = 'redaction') as redactions,
       (select count(distinct subject)::integer from tlog_facts where kind = 'day') as days`,
  )
  const [stored] = await rows(
    `select (select count(*)::integer from incidents) as incidents, (select count(*)::integer from redactions) as redactions,
       (select count(*)::integer from (select agent_id, day from agent_evidence
         union select agent_id, day from trust_scores) d) as days`,
  )
  const { incidents, redactions, days } = stored
  expect(whole).toEqual({
    revisions: [1],
    agents: AGENTS,
    incidents,
    incident_leaves: incidents,
    redactions,
    days,
  })
  const early = await rows(
    `select f.subject, f.index from tlog_facts f join tlog_leaves(f.index / 256) l on l.index = f.index
     cross join lateral (select (convert_from(l.leaf, 'UTF8')::json ->> 'seq')::bigint as seq) d
     cross join lateral (select r.first_index + d.seq - r.first_seq as event from tlog_ranges r
       where r.agent_id = f.agent_id and r.first_seq <= d.seq order by r.first_seq desc limit 1) place
     where f.kind = 'day' and place.event > f.index`,
  )
  expect(early).toEqual([])
})
