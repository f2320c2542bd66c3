import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../../local/postgres/index.ts'
import { startNeon } from '../../local/stand-ins/neon/index.ts'
import { migrateDatabase } from '../../scripts/migrate.ts'
import { type SearchQuery, searchQuery } from '../../src/agents/search-query.ts'
import { searchAgents } from '../../src/agents/search-store.ts'
import { connect } from '../../src/db/client.ts'

const SMALL = 10_000
const LARGE = Number(process.env.AGENTS ?? 1_000_000)
const CHUNK = 50_000
const ROUNDS = 60
const MOST = 3
const TIMEOUT_MS = 60_000

/** Queries that select few agents, however many there are (word w<n> and tag t<n> belong to eight agents each); the
 * last two show what the depth of the search bounds. */
const QUERIES: Record<string, Record<string, string>> = {
  word: { q: '"w77"' },
  'word and class': { q: '"w78"', class: 'A' },
  'two words': { q: 'assistant "w79"' },
  prefix: { q: 'beacon0000' },
  'misspelled word': { q: 'lighthuose' },
  number: { q: 'REG-1000-0000-0042-0' },
  'part of a number': { q: 'REG-1000-0000-004' },
  specialization: { specialization: 't80' },
  platform: { platform: 'small' },
  'status deactivated': { status: 'deactivated' },
  'minimum score': { min_score: '99.9' },
  'no filter': {},
  'common word': { q: 'assistant' },
}

const WIDE = new Set(['no filter', 'common word'])

const fill = (from: number, to: number) => `
  with a as (
    select i, ('00000000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid as id from generate_series(${from}, ${to}) i
  ), agent as (
    insert into agents (id, reg, operator_id, platform_id, name, description, class, status, specializations, registered_at)
    select id, 'REG-1000-' || lpad((i / 10000)::text, 4, '0') || '-' || lpad((i % 10000)::text, 4, '0') || '-0',
      '00000000-0000-7000-8000-000000000000',
      case when i < 20 then '00000000-0000-7000-8000-000000000001'::uuid end,
      case when i between 100 and 107 then 'Lighthouse keeper ' || i else 'Assistant number ' || i end,
      'An assistant for word' || (i % 1000) || ' of group w' || (i / 8)
        || case when i between 200 and 207 then ' beacon0000' || i else '' end,
      (array['A', 'S', 'H'])[1 + i % 3], case when i < 8 then 'deactivated' else 'active' end,
      array['common', 't' || (i / 8)], now()
    from a
  )
  insert into agent_stats (agent_id, trust_score_overall)
  select id, case when i < 8 then 99.9 else (i::bigint * 7919 % 990) / 10.0 end from a`

const dir = mkdtempSync(join(tmpdir(), 'registry-bench-'))
chmodSync(dir, 0o711) // where we are root, the database runs as another user, and its data shall go with the rest
const postgres = await startPostgres({ dir })
const neon = await startNeon()
try {
  const workerUrl = await migrateDatabase(postgres.url, 'bench')
  const client = new pg.Client({ connectionString: postgres.url })
  client.on('error', () => undefined) // the server stops before the client when the bench fails
  await client.connect()
  await client.query(`
    insert into operators (id, issuer, subject, email, name, agent_limit, notification_prefs, digest_week, created_at, updated_at)
    values ('00000000-0000-7000-8000-000000000000', 'bench', 'bench', 'bench', 'Bench', 0, '{}', '2999-01-07', now(), now())`)
  await client.query(`
    insert into platforms (id, operator_id, slug, name, webhook_secret, created_at)
    values ('00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000000', 'small', 'Small', '', now())`)
  const grow = async (from: number, to: number) => {
    for (let start = from; start < to; start += CHUNK) {
      await client.query(fill(start, Math.min(to, start + CHUNK) - 1))
      process.stderr.write(`\rfilled ${Math.min(to, start + CHUNK)} of ${to} agents `)
    }
    await client.query('vacuum analyze agents')
    await client.query('vacuum analyze agent_stats')
    process.stderr.write('\n')
  }
  const settings = { DATABASE_URL: workerUrl, NEON_SQL_URL: neon.url }
  await grow(0, SMALL)
  const small = await measureAll(settings)
  await grow(SMALL, LARGE)
  const large = await measureAll(settings)
  await client.end()
  report(small, large)
} finally {
  await neon.stop()
  await postgres.stop()
  rmSync(dir, { recursive: true, force: true })
}

interface Measured {
  ms: number
  total: number
}

async function measureAll(settings: { DATABASE_URL: string; NEON_SQL_URL: string }) {
  const measured = new Map<string, Measured>()
  for (const [name, raw] of Object.entries(QUERIES)) {
    const query: SearchQuery = searchQuery.parse(raw)
    const times: number[] = []
    let total = 0
    for (let round = 0; round < ROUNDS; round++) {
      const began = performance.now()
      const found = await searchAgents(connect(settings, AbortSignal.timeout(TIMEOUT_MS)), query)
      times.push(performance.now() - began)
      total = found.total
    }
    measured.set(name, { ms: times.toSorted((a, b) => a - b)[ROUNDS / 2] ?? Number.NaN, total })
  }
  return measured
}

function report(small: Map<string, Measured>, large: Map<string, Measured>): void {
  console.log(`p50 of ${ROUNDS} searches, ms, through the HTTP driver`)
  console.log(`${'query'.padEnd(20)} ${SMALL} agents  found  ${LARGE} agents  found  ratio`)
  for (const [name, before] of small) {
    const after = large.get(name)
    if (!after) continue
    const ratio = after.ms / before.ms
    const note = WIDE.has(name) ? '  (not selective)' : ratio > MOST ? `  over ${MOST}` : ''
    console.log(
      `${name.padEnd(20)} ${before.ms.toFixed(2).padStart(12)} ${String(before.total).padStart(6)}` +
        `  ${after.ms.toFixed(2).padStart(14)} ${String(after.total).padStart(6)}  ${ratio.toFixed(2)}${note}`,
    )
    if (ratio > MOST && !WIDE.has(name)) process.exitCode = 1
  }
}
