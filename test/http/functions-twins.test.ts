import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { printRow } from '../../scripts/recompute/account.ts'
import { LIFECYCLE_STATES, SOURCES } from '../../src/db/enums.ts'
import { eachField, FAULT_FIELDS, ROLLUP_FIELDS } from '../../src/db/rollup-fields.ts'
import { readRows } from '../../src/trust/inputs.ts'
import { lifecycleOf, lifecycleStep, MAX_INTERVAL_SECONDS } from '../../src/trust/lifecycle.ts'
import { ownDatabase } from '../support/database.ts'
import { shared } from '../support/harness.ts'
import { idSql, uuidOf } from '../support/plans/database.ts'
import { sourceOf } from '../support/source.ts'

const h = shared()
const { client } = ownDatabase(h, 'twins')

const OPERATOR = uuidOf('0', 1)
const DAY = '2026-11-21'
const PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71]
const primes = eachField((field) => PRIMES[ROLLUP_FIELDS.indexOf(field)] ?? 0)

beforeAll(async () => {
  await client.query(`
    insert into operators (id, issuer, subject, email, name, agent_limit, notification_prefs, digest_week, created_at, updated_at)
      values ('${OPERATOR}', 'i', 's', 'a@example.com', 'Operator', 9, '{}', '2026-11-16', now(), now());
    insert into agents (id, reg, operator_id, name, description, class, specializations, registered_at)
      select ${idSql('a')}, 'REG-' || n, '${OPERATOR}', 'Agent', '', 'A', '{}', now() from generate_series(1, 4) n;
    insert into agent_stats (agent_id) select id from agents`)
})

/** The rows of an agent that the function rollup_rows returns. */
async function rowsOf(n: number) {
  const { rows } = await client.query(`select rollup_rows($1, '2026-01-01', '2026-12-31') as rows`, [
    uuidOf('a', n),
  ])
  return readRows(rows[0].rows)
}

it('rollup_rows returns every field, with and without faults, and the sources of a day in order', async () => {
  const clean = { ...primes, ...Object.fromEntries(FAULT_FIELDS.map((field) => [field, 0])) }
  const faulty = FAULT_FIELDS.map((field) => ({ ...clean, [field]: 1 }))
  const rows = [primes, clean, ...faulty].flatMap((counters, n) =>
    SOURCES.map((source) => ({ day: `2026-0${1 + n}-28`, source, ...counters })),
  )
  await client.query(
    'insert into agent_evidence select * from jsonb_populate_recordset(null::agent_evidence, $1::jsonb)',
    [JSON.stringify(rows.toReversed().map((row) => ({ agent_id: uuidOf('a', 4), ...row })))],
  )
  expect(await rowsOf(4)).toEqual(rows)
  const stored = await client.query(
    'select printed from agent_evidence where agent_id = $1 order by day, source',
    [uuidOf('a', 4)],
  )
  expect(stored.rows.map(({ printed }) => printed)).toEqual(rows.map(printRow))
})

it.each([
  ['of one agent', [1]],
  ['of several agents', [2, 3]],
])('append_events adds every rollup field to the row of the day, for a batch %s', async (_, numbers) => {
  const agents = numbers.map((n) => ({
    reg: `REG-${n}`,
    log: Array.from({ length: primes.events }, () => [randomUUID(), 'x', 'info', {}]),
    bytes: 2 * primes.events,
    added: primes,
  }))
  const append = async () =>
    client.query(
      `select append_events($1, null, 'operator', 1000, 1000000, 0, '${DAY}T12:00:00Z', true, $2)`,
      [
        OPERATOR,
        JSON.stringify(
          agents.map((agent) => ({ ...agent, log: agent.log.map(([, ...e]) => [randomUUID(), ...e]) })),
        ),
      ],
    )
  await append()
  await append()
  // The function computes downtime itself, from the lifecycle.
  const twice = { ...eachField((field) => 2 * primes[field]), down_seconds: 0 }
  for (const n of numbers) expect(await rowsOf(n)).toEqual([{ day: DAY, source: 'self', ...twice }])
})

it('source_of equals sourceOf for every pair of identities and every state of a platform', async () => {
  const identities = [null, 'a', 'b']
  const booleans = [false, true]
  for (const agent of identities) {
    const own = await client.query('select source_of(true, $1, null, false) as source', [agent])
    expect(own.rows).toEqual([{ source: sourceOf(agent, null) }])
    // The identity of the agent's own operator is not read when its own platform reports.
    const ownPlatform = await client.query(`select source_of(true, null, 'a', true) as source`)
    expect(ownPlatform.rows).toEqual([{ source: 'self' }])
    for (const identity of identities) {
      for (const is_established of booleans) {
        for (const is_distrusted of booleans) {
          const { rows } = await client.query('select source_of(false, $1, $2, $3) as source', [
            agent,
            identity,
            is_established && !is_distrusted,
          ])
          expect(rows).toEqual([{ source: sourceOf(agent, { identity, is_established, is_distrusted }) }])
        }
      }
    }
  }
})

it('lifecycle_step equals lifecycleStep for every state and batch', async () => {
  const AT = Date.parse('2026-11-21T12:00:00Z')
  const event = (event_type: string, severity = 'info') => ({ event_type, severity })
  const events = ['startup', 'task_completed', 'shutdown', 'x'].map((type) => event(type))
  events.push(event('shutdown', 'critical'))
  const batches = [[], ...events.map((one) => [one]), ...events.flatMap((a) => events.map((b) => [a, b]))]
  const ages = [0, 999, 1_500, 3_600_000, MAX_INTERVAL_SECONDS * 1000 + 5_000, -1_000]
  const stored = [
    null,
    ...LIFECYCLE_STATES.flatMap((state) => ages.map((age) => ({ state, sinceMs: AT - age }))),
  ]
  for (const before of stored) {
    for (const batch of batches) {
      const lifecycle = lifecycleOf(batch)
      const { rows } = await client.query(
        'select moved, down_seconds::float8 from lifecycle_step($1, $2, $3, $4, $5)',
        [
          before?.state ?? 'up',
          before ? new Date(before.sinceMs).toISOString() : null,
          new Date(AT).toISOString(),
          JSON.stringify(lifecycle ?? {}),
          MAX_INTERVAL_SECONDS,
        ],
      )
      const { moved, ...seconds } = rows[0]
      const next = moved ? { state: lifecycle?.end_state, sinceMs: AT } : before
      expect({ next, ...seconds }).toEqual(lifecycleStep(before, batch, AT))
    }
  }
})

it('first_seq returns the first event at or after a time, for logs of any length', async () => {
  const agent = uuidOf('b', 1)
  const at = (minute: number) => `2026-11-21T12:${String(minute).padStart(2, '0')}:00Z`
  const minutes = [1, 1, 3, 3, 3, 4, 8, 8, 9]
  for (const [n, minute] of minutes.entries()) {
    await client.query(
      `insert into activity_events (id, agent_id, seq, event_type, severity, metadata, reported_by, created_at)
       values (gen_random_uuid(), $1, $2, 'x', 'info', '{}', 'operator', $3)`,
      [agent, n + 1, at(minute)],
    )
    for (let from = 0; from <= 10; from++) {
      const { rows } = await client.query('select first_seq($1, $2, $3)::integer as seq', [
        agent,
        n + 1,
        at(from),
      ])
      expect(rows).toEqual([{ seq: 1 + minutes.slice(0, n + 1).filter((before) => before < from).length }])
    }
  }
})
