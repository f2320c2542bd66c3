import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hashInputs, scoreAgent, verifyScore } from '@agentreg/verify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rebuildTrust } from '../../scripts/recompute/rebuild.ts'
import { DAY_MS, MINUTE_MS, utcDay } from '../../src/lib/time.ts'
import { establish, identify, platformKey } from '../support/attested.ts'
import { tirelessKey, tirelessReporter } from '../support/fill.ts'
import { type Body, type Operator, ownStack } from '../support/harness.ts'
import { fetchFresh } from '../support/logged.ts'
import { separateDatabase, withClient } from '../support/migrate.ts'
import { seeded } from '../vectors/rollups.ts'

// Its own stack, because a repair changes every agent of the database.
const h = await ownStack()
afterAll(h.stop)
const { api, sql, report } = h
// Must run first: whoever reads a score gets the same from the service, from its published inputs, and from the log
// added up again.
describe('agents with random histories', () => {
  const AGENTS = 25
  const DAYS = 9
  const SILENT_DAYS = 3 // at the end, in which outages of some agents do not end
  const BATCH = 30
  const SEED = 20_261_123

  const random = seeded(SEED)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const START = Date.parse(utcDay(new Date(Date.now() - DAYS * DAY_MS)))
  const TYPES = ['task_completed', 'task_completed', 'task_failed', 'startup', 'shutdown', 'incident', 'note']
  const METADATA = [{}, { quality: 0.9, response_ms: 900 }, { quality: 0.1 }, { correct: false }]

  let regs: string[]

  /** A random event; of every third agent, one side ends no outage on the last days, of every other third neither does. */
  const eventOf = (reg: string, isOwn: boolean, day: number) => ({
    reg,
    event_type: pick(
      day > DAYS - SILENT_DAYS && regs.indexOf(reg) % 3 > Number(isOwn)
        ? ['shutdown', 'task_failed', 'note']
        : TYPES,
    ),
    severity: pick(['info', 'warning', 'error', 'critical']),
    metadata: pick(METADATA),
  })

  /** Reports, each day around its midnight and at some other time, of every operator and platform about any agent. */
  async function live(operators: Operator[], hosts: Operator[]): Promise<void> {
    const platforms: string[] = (await Promise.all(hosts.map((host) => h.newPlatform(host)))).map(
      ({ slug }) => slug,
    )
    const agents = await Promise.all(
      Array.from({ length: AGENTS }, async (_, n) => {
        const owner = operators[n % operators.length] as Operator
        const platform_slug = platforms[n % (platforms.length + 1)]
        return {
          owner,
          ...(await h.newAgent(owner, platform_slug ? { platform_slug } : {}, new Date(START))),
        } as Body
      }),
    )
    regs = agents.map(({ reg }) => reg)
    const keys = await Promise.all([
      ...operators.map((operator) => tirelessKey(h, operator)),
      ...hosts.map((host, n) => platformKey(h, host, platforms[n] ?? '', new Date(START))),
    ])
    for (let day = 0; day <= DAYS; day++) {
      if (day === 2) await identify(h, ...hosts, ...operators.slice(1)) // the first one stays unverified
      if (day === 4) await establish(h, platforms[0] ?? '')
      if (day === 6) await h.admin('distrust', platforms[1] ?? '')
      const times = [0, DAY_MS - MINUTE_MS / 2].map((ms) => START + day * DAY_MS + ms)
      for (const time of times.filter((ms) => ms < Date.now())) {
        const now = new Date(time)
        const { owner, reg } = pick(agents)
        const platform_slug = pick([...platforms, null])
        await api('PATCH', `/agents/${reg}`, { token: owner.token, body: { platform_slug }, now })
        for (const [n, token] of keys.entries()) {
          const events = Array.from({ length: BATCH }, () => eventOf(pick(regs), n < operators.length, day))
          const body = { events: events.flatMap((event) => (random() < 0.1 ? [event, event] : [event])) }
          const headers = { 'Idempotency-Key': `${time}` }
          const sent = await api('POST', '/activity/report/batch', { token, body, headers, now })
          expect(sent.status, sent.text).toBeLessThan(300)
          if (random() > 0.2) continue
          const again = await api('POST', '/activity/report/batch', { token, body, headers, now })
          expect(again.body).toEqual(sent.body)
        }
      }
    }
  }

  beforeAll(async () => {
    const people = () => h.newOperator({ tier: 'business', now: new Date(START) })
    const [operators, hosts] = await Promise.all([
      Promise.all([people(), people(), people()]),
      Promise.all([people(), people(), people()]),
    ])
    await live(operators, hosts)
  })

  it('the agents have reports of all sources, both sides, and open outages', async () => {
    const [found] = await h.sql(
      `select count(distinct source)::integer as sources, count(distinct agent_id)::integer as agents from agent_evidence`,
    )
    expect(found).toEqual({ sources: 4, agents: AGENTS })
    const open = await Promise.all(regs.map((reg) => inputsOf(reg)))
    expect(new Set(open.map(({ open_outages }) => open_outages))).toEqual(new Set([0, 1, 2]))
  })

  it('their scores follow from the published inputs, today and on past days', async () => {
    for (const reg of regs) {
      const today = utcDay(new Date())
      const days = [today, utcDay(new Date(START + Math.floor(random() * DAYS) * DAY_MS))]
      for (const day of days) {
        const { rows, open_outages, score, sha256 } = await inputsOf(reg, day)
        const computed = scoreAgent(rows, day, open_outages)
        expect(score).toEqual(computed && expect.objectContaining({ overall: computed.overall }))
        expect(await hashInputs(rows, open_outages)).toBe(sha256)
      }
      const { body } = await api('GET', `/agents/${reg}/trust-score`)
      expect(body.overall).toBe((await inputsOf(reg)).score?.overall)
      expect((await verifyScore(h.base_url, reg, { fetch: fetchFresh })).verdict).toBe('verified')
    }
  })

  it('their rows and states are those of their logs, added up again', async () => {
    const { agents, findings } = await rebuildTrust(h.database_url)
    expect({ agents, findings }).toEqual({ agents: AGENTS, findings: [] })
  })

  async function inputsOf(reg: string, day = utcDay(new Date())): Promise<Body> {
    return (await api('GET', `/agents/${reg}/trust-score/inputs?date=${day}`)).body
  }
})

const PROGRAM = join(import.meta.dirname, '../../scripts/recompute.ts')

/** Runs the command; returns its exit code and output. */
async function rebuild(...flags: string[]): Promise<{ code: number; output: string }> {
  const env = { ...process.env, DATABASE_URL: h.database_url }
  const run = promisify(execFile)(process.execPath, [PROGRAM, ...flags], { env })
  return run.then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    ({ code, stdout, stderr }) => ({ code, output: `${stdout}${stderr}` }),
  )
}

const linesOf = (output: string, reg: string) => output.split('\n').filter((line) => line.startsWith(reg))

async function storedOf(id: string): Promise<Body[]> {
  return sql(
    `select to_jsonb(s) - '{unscored_since,score_revision,scored_day,trust_level,trust_score_overall,trust_score_updated}'::text[]
         as stats,
       (select jsonb_agg(to_jsonb(d) order by d.day, d.source) from agent_evidence d where d.agent_id = s.agent_id) as rows
     from agent_stats s where s.agent_id = $1`,
    [id],
  )
}

/** Increases when the score must be computed again, and when it was. */
async function revisionOf(id: string): Promise<number> {
  const [row] = await sql('select score_revision from agent_stats where agent_id = $1', [id])
  return row.score_revision
}

it('names every difference and repairs it without changing the log', async () => {
  const { agent, reg, key } = await tirelessReporter(h)
  const now = new Date()
  const yesterday = new Date(now.getTime() - DAY_MS)
  const day = yesterday.toISOString().slice(0, 10)
  await report(key, reg, { event_type: 'startup' }, yesterday)
  for (let n = 0; n < 12; n++)
    await report(key, reg, { metadata: { quality: 1, response_ms: 40 } }, yesterday)
  await report(key, reg, { event_type: 'incident' }, now)
  await h.cron(now)
  const [before, revision] = [await storedOf(agent.id), await revisionOf(agent.id)]
  const { body: score } = await api('GET', `/agents/${reg}/trust-score`, { now })
  expect(linesOf((await rebuild('--check')).output, reg)).toEqual([])

  await sql(`update agent_evidence set completed = 9, graded_milli = 0 where agent_id = $1 and day = $2`, [
    agent.id,
    day,
  ])
  await sql(`delete from agent_evidence where agent_id = $1 and day > $2`, [agent.id, day])
  await sql(
    `insert into agent_evidence (agent_id, day, source, events) values ($1, '2020-02-02', 'self', 3)`,
    [agent.id],
  )
  await sql(
    `update agent_stats set tasks_completed = 0, response_ms = 1, open_incident_count = 7, own_state = 'down' where agent_id = $1`,
    [agent.id],
  )
  const damaged = await storedOf(agent.id)
  const checked = await rebuild('--check')
  expect(checked.code).toBe(1)
  expect(await rebuild('--chekc')).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^Unknown option '--chekc'/),
  })
  const found = [
    `${reg} tasks_completed: stored 0, computed from the log 12`,
    `${reg} response_ms: stored 1, computed from the log 480`,
    `${reg} open_incident_count: stored 7, computed from the log 1`,
    `${reg} own_state: stored down, computed from the log nothing`,
    `${reg} 2020-02-02 self row: stored there, computed from the log nothing`,
    `${reg} ${day} self completed: stored 9, computed from the log 12`,
    `${reg} ${day} self graded_milli: stored 0, computed from the log 12000`,
    `${reg} ${now.toISOString().slice(0, 10)} self row: stored nothing, computed from the log there`,
  ]
  expect(linesOf(checked.output, reg)).toEqual(found)
  expect(await storedOf(agent.id)).toEqual(damaged)

  const repaired = await rebuild()
  expect(linesOf(repaired.output, reg)).toEqual(found.map((line) => `${line}; repaired`))
  expect(repaired.output).toMatch(/ 0 not repaired\n$/)
  expect(repaired.code).toBe(0)
  expect(await storedOf(agent.id)).toEqual(before)
  expect((await api('GET', `/agents/${reg}/trust-score`, { now })).body).toEqual({
    ...score,
    computed_at: expect.any(String),
  })
  expect(await revisionOf(agent.id)).toBeGreaterThan(revision)
})

it('loses no event that is reported during a repair', async () => {
  const { agent, reg, key } = await tirelessReporter(h)
  const types = ['task_completed', 'task_failed', 'incident', 'startup', 'shutdown']
  let running = true
  let reported = 0
  const writers = Array.from({ length: 20 }, async (_, n) => {
    while (running) {
      const event_type = types[(n + reported) % types.length]
      await report(key, reg, { event_type, severity: 'critical', metadata: { response_ms: 700 } })
      reported += 1
    }
  })
  for (let round = 0; round < 8; round++) {
    await sql(
      'update agent_evidence set completed = completed + 5, down_seconds = down_seconds + 1 where agent_id = $1',
      [agent.id],
    )
    await sql('update agent_stats set tasks_failed = tasks_failed + 3, events = events where agent_id = $1', [
      agent.id,
    ])
    const { findings } = await rebuildTrust(h.database_url, { repair: true })
    expect(findings.filter(({ agent_id, repaired }) => agent_id === agent.id && repaired)).toHaveLength(1)
  }
  running = false
  await Promise.all(writers)
  const { findings } = await rebuildTrust(h.database_url)
  expect(findings.filter(({ agent_id }) => agent_id === agent.id)).toEqual([])
  const [{ events }] = await sql('select events::integer from agent_stats where agent_id = $1', [agent.id])
  expect(events).toBe(reported)
})

it('names what it cannot repair', async () => {
  const { url, create, drop } = separateDatabase(h, 'broken')
  await create()
  try {
    await withClient(url, (client) =>
      client.query(
        `insert into activity_events (id, agent_id, seq, event_type, severity, metadata, reported_by, created_at)
         select gen_random_uuid(), 'a0000000-0000-7000-8000-000000000001', n, 'x', 'info', '{}', 'operator',
           '2026-03-03T12:00:00Z'::timestamptz - case when n = 4 then interval '1 s' else '0 s' end
         from generate_series(2, 4) n`,
      ),
    )
    const { agents, events, findings } = await rebuildTrust(url, { repair: true })
    expect({ agents, events }).toEqual({ agents: 0, events: 3 })
    expect(findings).toEqual([
      {
        agent_id: 'a0000000-0000-7000-8000-000000000001',
        reg: null,
        repaired: false,
        differences: [
          { row: '2026-03-03 self', field: 'seq', stored: 2, rebuilt: 1 },
          {
            row: '2026-03-03 self',
            field: 'created_at of 4',
            stored: '2026-03-03T11:59:59.000Z',
            rebuilt: '2026-03-03T12:00:00.000Z',
          },
          { row: null, field: 'agent', stored: null, rebuilt: '4 events' },
          { row: '2026-03-03 self', field: 'row', stored: null, rebuilt: 'there' },
        ],
      },
    ])
  } finally {
    await drop()
  }
})
