import { expect, it } from 'vitest'
import { printRow } from '../../scripts/recompute/account.ts'
import { publicLink } from '../../src/agents/links.ts'
import { each, LIFECYCLE_STATES, SOURCES } from '../../src/db/enums.ts'
import { FAULT_FIELDS, ROLLUP_FIELDS } from '../../src/db/rollup-fields.ts'
import { encodeBase64 } from '../../src/transparency/bytes.ts'
import { inclusionPath, type ReadTiles, type Tile, tileOf, tilePath } from '../../src/transparency/tiles.ts'
import { readRows } from '../../src/trust/inputs.ts'
import { lifecycleOf, lifecycleStep, MAX_INTERVAL_SECONDS } from '../../src/trust/lifecycle.ts'
import { ownDatabase } from '../support/database.ts'
import { shared } from '../support/harness.ts'
import { uuidOf } from '../support/plans/database.ts'
import { sourceOf } from '../support/source.ts'
import { nodeSha256, tilesOf, treeNodes } from '../support/trees.ts'
import webhooks from '../vectors/hostile-urls.json' with { type: 'json' }
import openings from '../vectors/openings.json' with { type: 'json' }
import vectors from '../vectors/tlog.json' with { type: 'json' }

const h = shared()
const { client } = ownDatabase(h, 'twins')

const PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71]
const primes = each(ROLLUP_FIELDS, (field) => PRIMES[ROLLUP_FIELDS.indexOf(field)] ?? 0)

it('rollup_rows returns every field, with and without faults, and the sources of a day in order', async () => {
  const [operator, agent] = [uuidOf('0', 1), uuidOf('a', 1)]
  await client.query(`
    insert into operators (id, issuer, subject, email, name, agent_limit, notification_prefs, digest_week, created_at, updated_at)
      values ('${operator}', 'i', 's', 'a@example.com', 'Operator', 9, '{}', '2026-11-16', now(), now());
    insert into agents (id, reg, operator_id, name, description, class, specializations, registered_at)
      values ('${agent}', 'REG-1', '${operator}', 'Agent', '', 'A', '{}', now())`)
  const clean = { ...primes, ...Object.fromEntries(FAULT_FIELDS.map((field) => [field, 0])) }
  const faulty = FAULT_FIELDS.map((field) => ({ ...clean, [field]: 1 }))
  const rows = [primes, clean, ...faulty].flatMap((counters, n) =>
    SOURCES.map((source) => ({ day: `2026-0${1 + n}-28`, source, ...counters })),
  )
  await client.query(
    'insert into agent_evidence select * from jsonb_populate_recordset(null::agent_evidence, $1::jsonb)',
    [JSON.stringify(rows.toReversed().map((row) => ({ agent_id: agent, ...row })))],
  )
  const found = await client.query(`select rollup_rows($1, '2026-01-01', '2026-12-31') as rows`, [agent])
  expect(readRows(found.rows[0].rows)).toEqual(rows)
  const stored = await client.query(
    'select printed from agent_evidence where agent_id = $1 order by day, source',
    [agent],
  )
  expect(stored.rows.map(({ printed }) => printed)).toEqual(rows.map(printRow))
})

it('source_of equals sourceOf for every pair of identities and every state of a platform', async () => {
  const sourceIn = async (...values: unknown[]) =>
    (await client.query('select source_of($1, $2, $3, $4) as source', values)).rows[0].source
  const [identities, booleans] = [
    [null, 'a', 'b'],
    [false, true],
  ]
  // The identity of the agent's own operator is not read when its own platform reports.
  expect(await sourceIn(true, null, 'a', true)).toBe('self')
  for (const agent of identities) {
    expect(await sourceIn(true, agent, null, false)).toBe(sourceOf(agent, null))
    for (const identity of identities) {
      for (const is_established of booleans) {
        for (const is_distrusted of booleans) {
          const source = await sourceIn(false, agent, identity, is_established && !is_distrusted)
          expect(source).toBe(sourceOf(agent, { identity, is_established, is_distrusted }))
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
  const cases = stored.flatMap((before) =>
    batches.map((batch) => ({ before, batch, lifecycle: lifecycleOf(batch) })),
  )
  const { rows } = await client.query(
    `select moved, down_seconds::float8
     from jsonb_to_recordset($1::jsonb) as c (n integer, state text, since timestamptz, lifecycle jsonb),
       lifecycle_step(c.state, c.since, $2, c.lifecycle, $3) order by n`,
    [
      JSON.stringify(
        cases.map(({ before, lifecycle }, n) => ({
          n,
          state: before?.state ?? 'up',
          since: before && new Date(before.sinceMs).toISOString(),
          lifecycle: lifecycle ?? {},
        })),
      ),
      new Date(AT).toISOString(),
      MAX_INTERVAL_SECONDS,
    ],
  )
  for (const [n, { before, batch, lifecycle }] of cases.entries()) {
    const { moved, ...seconds } = rows[n]
    const next = moved ? { state: lifecycle?.end_state, sinceMs: AT } : before
    expect({ next, ...seconds }).toEqual(lifecycleStep(before, batch, AT))
  }
})

it('public_link equals publicLink, and webhook_host returns the host of every accepted webhook URL', async () => {
  const domains = ['example.com', 'ample.com', 'com', null]
  const urls = ['', 'cards.', 'x', 'example.'].flatMap((before) =>
    ['', '/', '/card?x=1', ':8443/', '?x', '#x', '.example.net/'].map(
      (after) => `https://${before}example.com${after}`,
    ),
  )
  for (const card_url of [...urls, null])
    for (const domain of domains) {
      const { rows } = await client.query('select public_link($1, $2) as link', [card_url, domain])
      const link = publicLink({ domain, homepage_url: null, card_url }, 'card_url')
      expect([card_url, domain, rows[0].link]).toEqual([card_url, domain, link])
    }
  for (const url of [...webhooks.taken, 'http://127.0.0.1:9/hook']) {
    const { rows } = await client.query('select webhook_host($1) as host', [url])
    expect([url, rows[0].host]).toEqual([url, new URL(url).hostname])
  }
})

it('first_seq returns the first event at or after a time, for logs of any length', async () => {
  const agent = uuidOf('b', 1)
  const minutes = [1, 1, 3, 3, 3, 4, 8, 8, 9]
  for (const [n, minute] of minutes.entries()) {
    await client.query(
      `insert into activity_events (id, agent_id, seq, event_type, severity, metadata, reported_by, created_at)
       values (gen_random_uuid(), $1, $2, 'x', 'info', '{}', 'operator', '2026-11-21T12:00:00Z'::timestamptz + $3 * interval '1 minute')`,
      [agent, n + 1, minute],
    )
    const { rows } = await client.query(
      `select first_seq($1, $2, '2026-11-21T12:00:00Z'::timestamptz + minute * interval '1 minute')::integer as seq
       from generate_series(0, 10) minute`,
      [agent, n + 1],
    )
    expect(rows.map(({ seq }) => seq)).toEqual(
      Array.from({ length: 11 }, (_, from) => 1 + minutes.slice(0, n + 1).filter((one) => one < from).length),
    )
  }
})

it('an outage that begins with a day is not one from before it', async () => {
  const openOn = async (day: string, side: string) => {
    const stats = { [`${side}_state`]: 'failed', [`${side}_since`]: '2026-11-20T00:00:00Z' }
    const row = [JSON.stringify(stats), day]
    const { rows } = await client.query(
      'select open_outages(jsonb_populate_record(null::agent_stats, $1), $2) as open',
      row,
    )
    return rows[0].open
  }
  for (const side of ['own', 'others'])
    expect([await openOn('2026-11-20', side), await openOn('2026-11-21', side)]).toEqual([0, 1])
})

it('rows_basis names no snapshot of a later day', async () => {
  const stats = {
    trust_score_updated: '2026-11-21T00:00:00Z',
    scored_day: '2026-11-21',
    open_incident_count: 0,
  }
  const storedOn = async (day: string) => {
    const { rows } = await client.query(
      `select rows_basis(jsonb_populate_record(null::agent_stats, $1), $2, null) -> 'stored' as stored`,
      [JSON.stringify(stats), day],
    )
    return rows[0].stored
  }
  expect(await storedOn('2026-11-20')).toBeNull()
  expect(await storedOn('2026-11-21')).toMatchObject({ since: '2026-11-21T00:00:00.000Z' })
})

it('tlog_salt derives the salts that Python computed', async () => {
  const seed = Buffer.from(openings.seed, 'base64url')
  for (const { index, opening } of openings.sealed) {
    const { rows } = await client.query(
      "select base64url(tlog_salt($1, 'f', $2)) as salt, base64url(tlog_salt($1, 'm', $2)) as inner",
      [seed, index],
    )
    expect(rows).toEqual([{ salt: opening.salt, inner: opening.metadata_salt ?? opening.texts_salt }])
  }
})

it.each([
  [65_536, 32],
  [1, 31],
])('tlog_put refuses a leaf of %i bytes with a seed of %i', async (leaf, seed) => {
  const given = [Buffer.alloc(leaf), Buffer.alloc(seed)]
  const put = client.query('select tlog_put(0, array[$1::bytea], $2, now())', given)
  await expect(put).rejects.toThrow('a leaf has at most 65535 bytes, a seed 32')
})

/** Runs some work with tiles in the tables of the log, and removes them again. */
async function withTiles(readTiles: ReadTiles, tiles: readonly Tile[], work: () => Promise<void>) {
  const hashes = await readTiles(tiles)
  await client.query('begin')
  try {
    for (const [at, { level, n }] of tiles.entries())
      await client.query('insert into tlog_tiles (level, n, hashes) values ($1, $2, $3)', [
        level,
        n,
        hashes[at],
      ])
    await work()
  } finally {
    await client.query('rollback')
  }
}

async function pathOf(index: number, size: number): Promise<string | null> {
  const { rows } = await client.query('select tlog_path($1, $2) as path', [index, size])
  return rows[0].path?.map(encodeBase64).join(' ') ?? null
}

it('tlog_path returns the inclusion paths of the Go implementation, also for trees that have grown since', async () => {
  const [small, large] = [40, 65_537]
  const tiles: Tile[] = []
  for (let level = 0; tileOf(large, level, 0); level++)
    for (let n = 0, tile = tileOf(large, level, n); tile; tile = tileOf(large, level, ++n)) tiles.push(tile)
  const readTiles = tilesOf(treeNodes())
  await withTiles(readTiles, tiles, async () => {
    for (const { index, size, path } of vectors.trees.inclusions)
      expect([index, size, await pathOf(index, size)]).toEqual([index, size, path])
    const { rows } = await client.query<{ index: number; size: number; path: Buffer[] }>(
      `select index, size, tlog_path(index, size) as path
       from generate_series(1, $1) as size, generate_series(0, size - 1) as index`,
      [small],
    )
    for (const { index, size, path } of rows) {
      const known = await inclusionPath(index, size, readTiles, nodeSha256)
      expect([index, size, path.map((hash) => Uint8Array.from(hash))]).toEqual([index, size, known])
    }
    for (const [index, size] of [
      [-1, small],
      [small, small],
      [0, 0],
    ] as const)
      expect(await pathOf(index, size)).toBeNull()
  })
})

it.each(vectors.sparse)(
  'tlog_path returns paths in a tree of $size leaves',
  async ({ size, special, inclusions }) => {
    const readTiles = tilesOf(treeNodes((low, high) => special.some((index) => index >= low && index < high)))
    const read = new Map<string, Tile>()
    const readAndKeep: ReadTiles = async (tiles) => {
      for (const tile of tiles) read.set(tilePath(tile), tile)
      return readTiles(tiles)
    }
    for (const { index } of inclusions) await inclusionPath(index, size, readAndKeep, nodeSha256)
    await withTiles(readTiles, [...read.values()], async () => {
      for (const { index, path } of inclusions)
        expect([index, await pathOf(index, size)]).toEqual([index, path])
    })
  },
)
