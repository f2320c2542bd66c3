import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { scoreAgent, toShare } from '../../src/trust/score.ts'
import { storeRows, unknownReg } from '../support/fill.ts'
import { type Body, expectError, shared } from '../support/harness.ts'
import { dayOfAge, randomRollups, rowsOf, type Stretch, seeded } from '../vectors/rollups.ts'

const h = shared()
const { api, newOperator, newAgent, newReporter, report } = h

const NOW = new Date('2026-06-30T12:00:00.000Z')
const TODAY = '2026-06-30'
const WORK: Stretch = { source: 'independent', from: 0, to: 0, tasks: 20, completed: 12, quality: 0.5 }
const FIELDS = [
  'day',
  'source',
  'events',
  'completed',
  'failed',
  'graded_count',
  'graded_milli',
  'latency_count',
  'latency_satisfied',
  'latency_tolerating',
  'incidents_info',
  'incidents_warning',
  'incidents_error',
  'incidents_critical',
  'down_seconds',
]

const inputs = (reg: string, query = '', now = NOW) =>
  api('GET', `/agents/${reg}/trust-score/inputs${query}`, { now })
const scoreOf = async (reg: string): Promise<Body> =>
  (await api('GET', `/agents/${reg}/trust-score?explain=true`, { now: NOW })).body

/** The hash as docs/use/trust-score.md describes it, implemented independently. */
const hashOf = (rows: Body[]) =>
  createHash('sha256')
    .update(
      `[${rows.map((row) => `["${row.day}","${row.source}",${FIELDS.slice(2).map((name) => row[name])}]`).join()}]`,
    )
    .digest('hex')

async function agentWith(rows: ReturnType<typeof rowsOf>) {
  const operator = await newOperator()
  const { id, reg } = await newAgent(operator, {}, NOW)
  await storeRows(h, id, rows)
  return { operator, id: id as string, reg: reg as string }
}

it('returns a row for a reported day with exactly its fields', async () => {
  const { key, reg } = await newReporter({ now: NOW })
  for (let n = 0; n < 11; n++) {
    await report(key, reg, { metadata: { quality: 0.5, response_ms: 1500 } }, NOW)
  }
  await report(key, reg, { event_type: 'incident', severity: 'warning' }, NOW)
  const { status, body } = await inputs(reg)
  const row = {
    day: TODAY,
    source: 'self',
    events: 12,
    completed: 11,
    failed: 0,
    graded_count: 11,
    graded_milli: 5500,
    latency_count: 11,
    latency_satisfied: 11,
    latency_tolerating: 0,
    incidents_info: 0,
    incidents_warning: 1,
    incidents_error: 0,
    incidents_critical: 0,
    down_seconds: 0,
  }
  const score = await scoreOf(reg)
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      reg,
      today: TODAY,
      algorithm_version: '1.0',
      rows: [row],
      open_outages: 0,
      score: {
        overall: score.overall,
        reliability: score.reliability,
        accuracy: score.accuracy,
        safety: score.safety,
        speed: score.speed,
        consistency: score.consistency,
        events_considered: 12,
        provisional: true,
        confidence: score.confidence,
      },
      sha256: hashOf([row]),
    },
  })
  expect(Object.keys(body.rows[0])).toEqual(FIELDS)
})

it.each([1, 2, 3])(
  'returns rows in canonical order, from which hash and score can be computed (seed %i)',
  async (seed) => {
    const stored = randomRollups(seeded(seed), TODAY, { largest: 1e6 })
    const { reg } = await agentWith(stored)
    const { body } = await inputs(reg)
    const window = stored.filter(({ day }) => day <= TODAY && day >= dayOfAge(89, TODAY))
    const order = ['self', 'unproven', 'peer', 'independent']
    const place = ({ day, source }: Body) => `${day} ${order.indexOf(source)}`
    expect(body.rows).toEqual(window.sort((a, b) => (place(a) < place(b) ? -1 : 1)))
    expect(body.sha256).toBe(hashOf(body.rows))
    const own = scoreAgent(body.rows, body.today)
    if (own) expect({ ...own, confidence: toShare(own.confidence) }).toMatchObject(body.score)
    else expect(body.score).toBeNull()
  },
)

it('returns no rows and no score for a new agent', async () => {
  const { reg } = await agentWith([])
  const { body } = await inputs(reg)
  expect(body).toEqual({
    reg,
    today: TODAY,
    algorithm_version: '1.0',
    rows: [],
    open_outages: 0,
    score: null,
    sha256: hashOf([]),
  })
})

it('returns rows but no score for too little activity', async () => {
  const { reg } = await agentWith(rowsOf([{ source: 'self', from: 0, to: 0, tasks: 9, quality: 1 }], TODAY))
  const { body } = await inputs(reg)
  expect([body.rows.length, body.score]).toEqual([1, null])
})

it('returns the inputs of a past day unchanged by later events', async () => {
  const { reg } = await agentWith(rowsOf([{ ...WORK, to: 149 }], TODAY))
  const past = '2026-05-15'
  const { body } = await inputs(reg, `?date=${past}`)
  expect(body.today).toBe(past)
  expect([body.rows.length, body.rows.at(-1).day]).toEqual([90, past])
  expect(body.score).toMatchObject({ events_considered: 90 * 20 })
  const then = await inputs(reg, '', new Date(`${past}T23:00:00Z`))
  expect(then.body).toEqual(body)
  expect((await inputs(reg, `?date=${TODAY}`)).body).toEqual((await inputs(reg)).body)
})

it('returns no rows for days before the registration', async () => {
  const { reg } = await agentWith(rowsOf([{ ...WORK, to: 4 }], TODAY))
  for (const date of ['2026-06-25', '1999-12-31', '0001-01-01', '2024-02-29']) {
    const { status, body } = await inputs(reg, `?date=${date}`)
    expect({ status, body }).toMatchObject({ status: 200, body: { today: date, rows: [], score: null } })
  }
})

it('remains at the last day of a deactivated agent, and returns earlier days', async () => {
  const { operator, reg } = await agentWith(rowsOf([{ ...WORK, to: 29 }], TODAY))
  const before = (await inputs(reg)).body
  const earlier = (await inputs(reg, '?date=2026-06-20')).body
  const body = { status: 'deactivated' }
  await api('PATCH', `/agents/${reg}`, { token: operator.token, body, now: NOW })
  const later = new Date('2026-09-30T12:00:00.000Z')
  expect(before.rows).toHaveLength(30)
  expect((await inputs(reg, '', later)).body).toEqual(before)
  expect((await inputs(reg, '?date=2026-08-31', later)).body).toEqual(before)
  expect((await inputs(reg, '?date=2026-06-20', later)).body).toEqual(earlier)
})

it.each([
  '2026-07-01',
  '9999-12-31',
  '2026-02-30',
  '2025-02-29',
  '2026-13-01',
  '2026-6-1',
  '0000-01-01',
  '+002026-06-01',
  '-2026-06-01',
  '2026-06-01T00:00:00Z',
  'today',
  '%00',
  '2026-06-01&date=2026-06-02',
])('rejects date=%s with an error that names it', async (date) => {
  const { reg } = await agentWith([])
  expectError(await inputs(reg, `?date=${date}`), 400, 'VALIDATION_ERROR', /^date: /)
})

it('returns 404 for an unknown number', async () => {
  expectError(await inputs(unknownReg()), 404, 'NOT_FOUND')
})
