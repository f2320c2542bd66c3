import { expect, it } from 'vitest'
import { SOURCES } from '../../src/db/enums.ts'
import { eachField, type RollupField } from '../../src/db/rollup-fields.ts'
import { HOUR_MS } from '../../src/lib/time.ts'
import { type Lifecycle, lifecycleStep, type Side, sideOf } from '../../src/trust/lifecycle.ts'
import { eventDelta, type LoggedEvent, type Rollup, responseMs, sumDeltas } from '../../src/trust/rollup.ts'
import { scoreAgent } from '../../src/trust/score.ts'
import { inOrder } from '../../src/trust/window.ts'
import { establish, identify, platformKey } from '../support/attested.ts'
import { logOf, tirelessKey, tirelessReporter } from '../support/fill.ts'
import { type ApiResponse, type Body, shared } from '../support/harness.ts'
import { seeded } from '../vectors/rollups.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newPlatform } = h

const MANY = 60
const START = Date.parse('2026-09-01T00:00:00Z')

const TYPES = [
  ...Array(6).fill('task_completed'),
  'task_failed',
  'task_failed',
  'error',
  'incident',
  'startup',
  'shutdown',
  'heartbeat',
]
const SEVERITIES = ['info', 'info', 'info', 'warning', 'error', 'critical']
const METADATA: object[] = [
  {},
  { response_ms: 0 },
  { response_ms: 2_000, quality: 1 },
  { response_ms: 2_000.5, quality: 0.333 },
  { response_ms: 8_000, correct: true },
  { response_ms: 8_001, correct: false, quality: 0.5 },
  { response_ms: 86_400_000 },
  { response_ms: 86_400_001, quality: 1.01, correct: true },
  { response_ms: -1, quality: '1', correct: 'yes' },
  { response_ms: null, quality: null, correct: null },
  { response_ms: 1234.5678, quality: 0.98765 },
  { title: 'a title', description: 'a description', quality: 0 },
]

type Random = () => number
const pick = <T>(from: readonly T[], random: Random): T => from[Math.floor(random() * from.length)] as T

const randomEvent = (random: Random, regs: readonly string[]) => ({
  reg: pick(regs, random),
  event_type: pick(TYPES, random) as string,
  severity: pick(SEVERITIES, random),
  metadata: pick(METADATA, random),
})

/** The rollup rows computed from the log. */
function rebuild(log: readonly Body[]): readonly Rollup[] {
  const rowOf = ({ created_at, source }: Body) => `${created_at.toISOString().slice(0, 10)} ${source}`
  const seconds = new Map<string, number>()
  const states: Record<Side, Lifecycle | null> = { own: null, others: null }
  for (const event of log) {
    const side = sideOf(event.source)
    const { next, down_seconds } = lifecycleStep(states[side], [event], event.created_at.getTime())
    seconds.set(rowOf(event), (seconds.get(rowOf(event)) ?? 0) + down_seconds)
    states[side] = next
  }
  const rows = [...Map.groupBy(log, rowOf)].map(([row, events]) => ({
    day: row.slice(0, 10),
    source: events[0].source,
    ...sumDeltas(events.map((event) => eventDelta(event as LoggedEvent))),
    down_seconds: seconds.get(row) ?? 0,
  }))
  return inOrder(rows)
}

/** The sides with an outage on a day that began before it and has not ended by its end, computed from the log. */
function openOutagesIn(log: readonly Body[], day: string): number {
  const until = Date.parse(day) + 24 * HOUR_MS
  return ['own', 'others'].filter((side) => {
    const steps = log.filter(
      ({ source, event_type, created_at }) =>
        (source === 'self') === (side === 'own') &&
        ['startup', 'task_completed', 'shutdown'].includes(event_type) &&
        created_at.getTime() < until,
    )
    const stopped = steps[steps.findLastIndex(({ event_type }) => event_type !== 'shutdown') + 1]
    return stopped && ['error', 'critical'].includes(stopped.severity) && stopped.created_at < new Date(day)
  }).length
}

async function storedRows(reg: string): Promise<readonly Rollup[]> {
  const rows = await sql(
    `select d.*, d.day::text from agent_evidence d join agents a on a.id = d.agent_id where a.reg = $1`,
    [reg],
  )
  return inOrder(
    rows.map(({ day, source, ...counts }) => ({
      day,
      source,
      ...eachField((field) => Number(counts[field])),
    })),
  )
}

/** Expects that all stored and shown values of an agent equal those computed from its log. */
async function expectEqualToLog(reg: string, now: Date): Promise<void> {
  const log = await logOf(h, reg)
  const rows = rebuild(log)
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, n) => n + 1))
  const times = log.map(({ created_at }) => created_at.getTime())
  expect(times).toEqual([...times].sort((a, b) => a - b))
  expect(await storedRows(reg)).toEqual(rows)

  const sum = (field: RollupField) => rows.reduce((total, row) => total + row[field], 0)
  const response_ms = log.reduce((total, event) => total + responseMs(event as LoggedEvent), 0)
  const count = (type: string) => log.filter(({ event_type }) => event_type === type).length
  const [stats] = await sql(
    `select s.events::integer, s.tasks_completed::integer, s.tasks_failed::integer, s.response_count::integer,
       s.response_ms::float8, s.incident_count, s.open_incident_count, s.last_active_at,
       (select count(*)::integer from incidents i where i.agent_id = s.agent_id) as incidents
     from agent_stats s join agents a on a.id = s.agent_id where a.reg = $1`,
    [reg],
  )
  expect(stats).toEqual({
    events: log.length,
    tasks_completed: count('task_completed'),
    tasks_failed: count('task_failed'),
    response_count: sum('latency_count'),
    response_ms,
    incident_count: count('incident'),
    open_incident_count: count('incident'),
    last_active_at: log.at(-1)?.created_at ?? null,
    incidents: count('incident'),
  })

  const today = now.toISOString().slice(0, 10)
  const score = scoreAgent(rows, today, openOutagesIn(log, today))
  const { body } = await api('GET', `/agents/${reg}/trust-score`, { now })
  if (score === null) return expect(body).toMatchObject({ reg, status: 'insufficient_data' })
  const { provisional, confidence, ...shown } = score
  expect(body).toEqual({ reg, ...shown, computed_at: expect.any(String) })
  const { body: profile } = await api('GET', `/agents/${reg}`, { now })
  expect(profile.trust_score_overall).toBe(score.overall.toFixed(1))
  expect(profile.avg_response_ms).toBe(Math.round(response_ms / sum('latency_count')))
}

it.each([11, 12, 13])(
  'rollups equal the log after random reports and batches of all sources (seed %i)',
  async (seed) => {
    const random = seeded(seed)
    const [operator, host] = await Promise.all([newOperator(), newOperator()])
    const { slug } = await newPlatform(host)
    const agents = await Promise.all([1, 2].map(() => newAgent(operator, { platform_slug: slug })))
    const regs = agents.map(({ reg }) => reg as string)
    const [reg] = regs
    const keys = await Promise.all([tirelessKey(h, operator), platformKey(h, host, slug)])
    let clock = START + seed * HOUR_MS
    for (let step = 0; step < 70; step++) {
      if (step === 10) await identify(h, host)
      if (step === 25) await identify(h, operator)
      if (step === 45) await establish(h, slug)
      const key = pick(keys, random)
      // Mostly forward by up to a day and a half, sometimes unchanged, sometimes back.
      clock += random() < 0.15 ? -2 * HOUR_MS : random() < 0.3 ? 0 : Math.floor(random() * 36 * HOUR_MS)
      const now = new Date(clock)
      if (random() < 0.5) {
        const response = await api('POST', '/activity/report', {
          token: key,
          body: randomEvent(random, regs),
          now,
        })
        expect(response.status, response.text).toBe(201)
      } else {
        const size = pick([1, 2, 3, 8, 25], random)
        const events: object[] = Array.from({ length: size }, () => randomEvent(random, regs))
        if (random() < 0.2) events.splice(1, 0, { reg, event_type: '' })
        const response = await api('POST', '/activity/report/batch', { token: key, body: { events }, now })
        expect(response.status, response.text).toBeLessThan(208)
      }
    }
    for (const one of regs) {
      expect(new Set((await storedRows(one)).map(({ source }) => source))).toEqual(new Set(SOURCES))
      for (const days of [0, 1, 30, 95]) await expectEqualToLog(one, new Date(clock + days * 24 * HOUR_MS))
    }
  },
)

it('rollups equal the log after parallel reports and batches', async () => {
  const random = seeded(21)
  const { operator, reg, key } = await tirelessReporter(h)
  const regs = [reg, (await newAgent(operator)).reg as string]
  const at = (hours: number) => new Date(START + hours * HOUR_MS)
  const calls = Array.from({ length: 60 }, (_, n) => {
    const now = at(Math.floor(random() * 100))
    const body =
      n % 3
        ? randomEvent(random, regs)
        : { events: Array.from({ length: 9 }, () => randomEvent(random, regs)) }
    return api('POST', n % 3 ? '/activity/report' : '/activity/report/batch', { token: key, body, now })
  })
  for (const response of await Promise.all(calls)) expect(response.status, response.text).toBe(201)
  for (const one of regs) await expectEqualToLog(one, at(200))
})

it('rollups of sixty agents equal their logs after batches that start, stop and repeat', {
  timeout: 90_000,
}, async () => {
  const random = seeded(41)
  const operator = await newOperator({ tier: 'business' })
  const made = await Promise.all(Array.from({ length: MANY }, () => newAgent(operator)))
  const regs = made.map(({ reg }) => reg as string)
  const key = await tirelessKey(h, operator)
  const types = ['startup', 'shutdown', 'startup', 'shutdown', 'task_completed'] as const
  // The day changes between batches; the fourth comes from a clock that went back.
  const times = ['01T23:59:30', '02T00:00:30', '04T06:00:00', '03T00:00:00', '04T06:00:30']
  for (const time of times) {
    const events = Array.from({ length: 1_000 }, () => {
      const event = { ...randomEvent(random, regs), event_type: pick(types, random) }
      return random() < 0.3 ? [event, event] : [event]
    })
    const body = { events: events.flat().slice(0, 1_000) }
    const now = new Date(`2026-10-${time}Z`)
    const response = await api('POST', '/activity/report/batch', { token: key, body, now })
    expect([response.status, response.body.accepted]).toEqual([201, 1_000])
  }
  for (const reg of regs) await expectEqualToLog(reg, new Date('2026-10-05T00:00:00Z'))
  const sums = await sql(
    `select d.day::text, sum(down_seconds)::integer as down
     from agent_evidence d join agents a on a.id = d.agent_id where a.operator_id = $1 group by day order by day`,
    [operator.id],
  )
  expect(sums.map(({ day }) => day)).toEqual(['2026-10-01', '2026-10-02', '2026-10-04'])
  expect(sums[0]).toMatchObject({ down: 0 })
  for (const { down } of sums.slice(1)) expect(down).toBeGreaterThan(0)
})

it('downtime counts for the day on which it ends, for single reports and batches', async () => {
  const { operator, reg, key } = await tirelessReporter(h)
  const { reg: batched } = await newAgent(operator)
  const end = new Date('2026-10-02T01:00:00Z')
  for (const [event_type, now] of [
    ['shutdown', new Date('2026-10-01T22:00:00Z')],
    ['startup', end],
  ] as const) {
    await h.report(key, reg, { event_type, severity: 'error' }, now)
    const body = { events: [{ reg: batched, event_type, severity: 'error' }] }
    expect((await api('POST', '/activity/report/batch', { token: key, body, now })).status).toBe(201)
  }
  for (const one of [reg, batched]) {
    const days = (await storedRows(one)).map(({ day, events, down_seconds }) => [day, events, down_seconds])
    // The clock of a request continues from the given time.
    expect(days).toEqual([
      ['2026-10-01', 1, 0],
      ['2026-10-02', 1, expect.closeTo(10_800, -2)],
    ])
    await expectEqualToLog(one, end)
  }
})

it('200 parallel batches over the same five agents are all stored completely, without deadlocks', {
  timeout: 90_000,
}, async () => {
  const random = seeded(31)
  const operator = await newOperator({ tier: 'pro' })
  const agents = await Promise.all([1, 2, 3, 4, 5].map(() => newAgent(operator)))
  const regs = agents.map(({ reg }) => reg as string)
  const key = await tirelessKey(h, operator)
  const deadlocks = async () =>
    (await sql('select deadlocks::integer from pg_stat_database where datname = current_database()'))[0]
      .deadlocks
  const before = await deadlocks()
  const batches = Array.from({ length: 200 }, (_, batch) => ({
    events: Array.from({ length: 12 }, () => {
      const event = randomEvent(random, regs)
      return { ...event, metadata: { ...event.metadata, batch } }
    }),
  }))
  // On a busy machine a batch may exceed its deadline; repeats with the same key complete it.
  const report = async (body: object, n: number, repeats = 20): Promise<ApiResponse> => {
    const headers = { 'Idempotency-Key': `batch ${n}` }
    const response = await api('POST', '/activity/report/batch', { token: key, body, headers })
    return response.status === 503 && repeats > 0 ? report(body, n, repeats - 1) : response
  }
  const responses = await Promise.all(batches.map((body, n) => report(body, n)))
  expect(responses.map(({ status }) => status)).toEqual(batches.map(() => 201))
  expect(await deadlocks()).toBe(before)

  const log = (await Promise.all(regs.map((reg) => logOf(h, reg)))).flat()
  const stored = Map.groupBy(log, ({ metadata }) => metadata.batch as number)
  expect(log).toHaveLength(200 * 12)
  for (const [batch, { body }] of responses.entries()) {
    const ids = (stored.get(batch) ?? []).map(({ id }) => id)
    expect(ids.sort()).toEqual(body.data.map(({ event }: Body) => event.id).sort())
  }
  for (const reg of regs) await expectEqualToLog(reg, new Date())
})
