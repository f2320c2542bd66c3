import { expect, it } from 'vitest'
import { type Body, shared } from '../support/harness.ts'
import { holdOpen } from '../support/hold-open.ts'

const h = shared()
const { api, sql, newAgent, newReporter, newKey, report } = h

/** A mix of events of all kinds. */
const MIX = [
  { event_type: 'task_completed', metadata: { response_ms: 900, quality: 0.9 } },
  { event_type: 'task_completed', metadata: { response_ms: 4_000 } },
  { event_type: 'task_completed' },
  { event_type: 'task_failed', severity: 'error' },
  { event_type: 'incident', severity: 'critical', metadata: { title: 'it burns' } },
  { event_type: 'startup' },
  { event_type: 'shutdown' },
  { event_type: 'error', severity: 'warning' },
]

async function logOf(reg: string): Promise<Body[]> {
  return sql(
    `select e.id, e.seq::integer, e.event_type, e.created_at, (e.created_at at time zone 'utc')::date::text as day
     from activity_events e join agents a on a.id = e.agent_id where a.reg = $1 order by e.seq`,
    [reg],
  )
}

const daysOf = (reg: string): Promise<Body[]> =>
  sql(
    `select d.day::text, d.events::integer, d.completed::integer, d.failed::integer, d.graded_count::integer,
       d.latency_count::integer, d.latency_satisfied::integer, d.latency_tolerating::integer,
       d.incidents_critical::integer
     from agent_evidence d join agents a on a.id = d.agent_id where a.reg = $1 order by d.day`,
    [reg],
  )

function expectGapless(log: Body[]): void {
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, n) => n + 1))
  const times = log.map(({ created_at }) => created_at.getTime())
  expect(times).toEqual([...times].sort((a, b) => a - b))
}

it('numbers 160 concurrent events without a gap, and counts each', async () => {
  const { operator, key, reg } = await newReporter()
  const keys = [key, ...(await Promise.all([1, 2, 3].map(() => newKey(operator)))).map((made) => made.key)]
  const sent = Array.from({ length: 160 }, (_, n) => report(keys[n % 4], reg, MIX[n % MIX.length]))
  const stored = await Promise.all(sent)
  const log = await logOf(reg)
  expectGapless(log)
  expect(log.map(({ id }) => id).sort()).toEqual(stored.map(({ id }) => id).sort())

  const count = (type: string) => log.filter(({ event_type }) => event_type === type).length
  expect(count('incident')).toBe(20)
  const days = await daysOf(reg)
  const sum = (field: string) => days.reduce((total, day) => total + day[field], 0)
  expect(sum('events')).toBe(160)
  expect(sum('completed')).toBe(60)
  expect(sum('failed')).toBe(20)
  expect(sum('graded_count')).toBe(20)
  expect(sum('latency_count')).toBe(40)
  expect(sum('latency_satisfied')).toBe(20)
  expect(sum('latency_tolerating')).toBe(20)
  expect(sum('incidents_critical')).toBe(20)
  const { body: profile } = await api('GET', `/agents/${reg}`)
  expect(profile).toMatchObject({
    tasks_completed: 60,
    tasks_failed: 20,
    incident_count: 20,
    avg_response_ms: 2_450,
  })
  const [{ incidents }] = await sql(
    'select count(*)::integer as incidents from incidents i join agents a on a.id = i.agent_id where a.reg = $1',
    [reg],
  )
  expect(incidents).toBe(20)
})

it('counts events around midnight on the day that their log entry has', async () => {
  const registered = new Date('2026-03-03T12:00:00Z')
  const { key, reg } = await newReporter({ now: registered })
  const times = ['2026-03-03T23:59:59.500Z', '2026-03-04T00:00:00.500Z'].map((time) => new Date(time))
  await Promise.all(Array.from({ length: 40 }, (_, n) => report(key, reg, MIX[n % 3], times[n % 2])))
  const log = await logOf(reg)
  expectGapless(log)
  expect(log).toHaveLength(40)
  const byDay = new Map<string, number>()
  for (const { day } of log) byDay.set(day, (byDay.get(day) ?? 0) + 1)
  expect(new Map((await daysOf(reg)).map(({ day, events }) => [day, events]))).toEqual(byDay)
})

it('keeps concurrent reports about several agents separate', async () => {
  const reporters = await Promise.all(Array.from({ length: 6 }, () => newReporter()))
  await Promise.all(reporters.flatMap(({ key, reg }) => MIX.map((event) => report(key, reg, event))))
  for (const { reg } of reporters) {
    const log = await logOf(reg)
    expectGapless(log)
    expect(log).toHaveLength(MIX.length)
  }
})

it('locks the agents of a batch in the order of their registration', async () => {
  const { operator, agent: first, key } = await newReporter()
  const second = await newAgent(operator)
  const held = await holdOpen(h, 'select from agent_stats where agent_id = $1 for no key update', [first.id])
  const events = [second, first].map(({ reg }) => ({ reg, event_type: 'x' }))
  const waiting = api('POST', '/activity/report/batch', { token: key, body: { events } })
  await held.isWaitedFor()
  await sql('select from agent_stats where agent_id = $1 for no key update nowait', [second.id])
  await held.commit()
  expect((await waiting).status).toBe(201)
})

it('counts downtime once for concurrent shutdowns and startups', async () => {
  const began = new Date('2026-03-03T12:00:00Z')
  const later = new Date('2026-03-03T13:00:00Z')
  const { key, reg } = await newReporter({ now: began })
  const twentyOf = (event_type: string, at: Date) =>
    Promise.all(Array.from({ length: 20 }, () => report(key, reg, { event_type, severity: 'error' }, at)))
  await twentyOf('shutdown', began)
  await twentyOf('startup', later)
  const [{ down }] = await sql(
    `select sum(down_seconds)::integer as down
     from agent_evidence d join agents a on a.id = d.agent_id where a.reg = $1`,
    [reg],
  )
  expect(down).toBeGreaterThanOrEqual(3_590)
  expect(down).toBeLessThanOrEqual(3_660) // the given clock runs on while a busy machine stores the startups
})
