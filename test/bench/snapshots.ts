import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../../local/postgres/index.ts'
import { startNeon } from '../../local/stand-ins/neon/index.ts'
import { migrateDatabase } from '../../scripts/migrate.ts'
import { connect } from '../../src/db/client.ts'
import type { Env } from '../../src/env.ts'
import { snapshotScores } from '../../src/jobs/snapshots.ts'
import { INPUT_FIELDS } from '../../src/trust/inputs.ts'

const AGENTS = Number(process.env.AGENTS ?? 10_000)
const DAYS = 90
const ROUNDS = 3
const MOST = 8
const FIRST_DAY = Date.parse('2026-11-21')
const DAY_MS = 86_400_000
const TIMEOUT_MS = 120_000

const FILL = [
  `insert into operators (id, issuer, subject, email, name, agent_limit, notification_prefs, digest_week, created_at, updated_at)
   values ('00000000-0000-7000-8000-000000000000', 'bench', 'bench', 'bench', 'Bench', 0, '{"trust_alerts": true}', '2999-01-07', now(), now())`,
  `insert into agents (id, reg, operator_id, name, description, class, specializations, registered_at)
   select ('00000000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid,
     'REG-1000-' || lpad((i / 10000)::text, 4, '0') || '-' || lpad((i % 10000)::text, 4, '0') || '-0',
     '00000000-0000-7000-8000-000000000000', 'Assistant ' || i, '', 'A', '{}', now() from generate_series(1, ${AGENTS}) i`,
  // Every agent another record, every day another one.
  `insert into agent_daily (agent_id, day, events, completed, failed, graded_count, graded_milli, latency_count,
     latency_ms, latency_satisfied, latency_tolerating, latency_log_micro, incidents_warning, up_seconds)
   select a.id, '2026-11-20'::date - d, 50 + n % 7, 40 + n % 11, n % 9, 40, 30000 + n % 10000, 40, 40 * (900 + n % 1000),
     30 + n % 10, 5, 40 * 6802395::bigint + n % 1000000, (n % 13 = 0)::integer, n % 86400
   from agents a, generate_series(0, ${DAYS} - 1) d,
     lateral (select hashint8(('x' || right(a.id::text, 8))::bit(32)::bigint * 97 + d)::bigint + 2147483648 as n) x`,
  `insert into agent_stats (agent_id, events, last_active_at, unscored_since)
   select id, 5000, '2026-11-20T12:00:00Z', '2026-11-20T12:00:00Z' from agents`,
]

const sums = (today: string) => `
  select agent_id, ${INPUT_FIELDS.slice(1).map((field) => `sum(${field}) as ${field}`)} from agent_daily
  where day > '${today}'::date - ${DAYS} and day <= '${today}'::date group by agent_id`

const dir = mkdtempSync(join(tmpdir(), 'registry-bench-'))
chmodSync(dir, 0o711) // where we are root, the database runs as another user, and its data shall go with the rest
const postgres = await startPostgres({ dir })
const neon = await startNeon()
try {
  const env = { DATABASE_URL: await migrateDatabase(postgres.url, 'bench'), NEON_SQL_URL: neon.url } as Env
  const client = new pg.Client({ connectionString: postgres.url })
  client.on('error', () => undefined) // the server stops before the client when the bench fails
  await client.connect()
  // As the Worker's role: the sums are to be compared on one core, as a run is.
  await client.query('set jit = off')
  await client.query('set max_parallel_workers_per_gather = 0')
  for (const statement of FILL) await client.query(statement)
  await client.query('vacuum analyze')

  const run = async (now: Date) => {
    const db = connect(env, AbortSignal.timeout(TIMEOUT_MS))
    const { agents } = await snapshotScores({ env, db, now })
    if (agents !== AGENTS) throw new Error(`${agents} of ${AGENTS} agents were written`)
  }
  await run(new Date(FIRST_DAY - DAY_MS / 2))
  console.log(
    `${AGENTS} agents of ${DAYS} days: sums by agent in SQL, and the recompute of the day in one run`,
  )
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const today = new Date(FIRST_DAY + round * DAY_MS)
    const inSql = await timed(() => client.query(sums(today.toISOString().slice(0, 10))))
    const inRun = await timed(() => run(today))
    ratios.push(inRun / inSql)
    console.log(`${inSql.toFixed(0)} ms, ${inRun.toFixed(0)} ms: ${(inRun / inSql).toFixed(2)} times`)
  }
  await client.end()
  const ratio = ratios.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN
  console.log(`in the middle ${ratio.toFixed(2)}, at most ${MOST}`)
  if (!(ratio <= MOST)) process.exitCode = 1
} finally {
  await neon.stop()
  await postgres.stop()
  rmSync(dir, { recursive: true, force: true })
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
