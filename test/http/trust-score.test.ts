import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { storeRows } from '../support/fill.ts'
import { type Body, expectError, shared } from '../support/harness.ts'
import { dayOfAge, randomRollups, rowsOf, type Stretch, seeded } from '../vectors/rollups.ts'

const h = shared()
const { api, newOperator, newAgent, newReporter, report } = h

const NOW = new Date('2026-06-30T12:00:00.000Z')
const TODAY = '2026-06-30'
/** 50 tasks per day, 98 % completed, for 90 days. */
const LONG: Stretch = {
  source: 'independent',
  from: 0,
  to: 89,
  tasks: 50,
  completed: 49,
  quality: 0.95,
  satisfied: 0.9,
}
const SHORT: Stretch = { source: 'self', from: 0, to: 0, tasks: 12 }

async function agentWith(rows: ReturnType<typeof rowsOf>) {
  const operator = await newOperator()
  const { id, reg } = await newAgent(operator, {}, NOW)
  await storeRows(h, id, rows)
  return { operator, reg: reg as string }
}

const scoreOf = async (reg: string, query = ''): Promise<Body> =>
  (await api('GET', `/agents/${reg}/trust-score${query}`, { now: NOW })).body
const inputs = (reg: string, query = '', now = NOW) =>
  api('GET', `/agents/${reg}/trust-score/inputs${query}`, { now })

describe('explain=true', () => {
  it('adds exactly the explanation of the score', async () => {
    const { reg } = await agentWith(rowsOf([LONG], TODAY))
    const plain = await scoreOf(reg)
    expect(await scoreOf(reg, '?explain=true')).toEqual({
      ...plain,
      computed_at: expect.any(String),
      provisional: false,
      confidence: 1,
      weights: { reliability: 0.3, accuracy: 0.25, safety: 0.25, speed: 0.1, consistency: 0.1 },
      evidence: { self: 0, unproven: 0, peer: 0, independent: 1 },
      dimensions: {
        reliability: { good: 222.95, bad: 4.55, reading: 'days', confidence: 1 },
        accuracy: { good: 216.125, bad: 11.375, reading: 'days', confidence: 1 },
        safety: { good: 2229.5, bad: 0, reading: 'tasks', confidence: 1 },
        speed: { good: 215.8929, bad: 11.6071, reading: 'days', confidence: 1 },
        consistency: { good: 227.136, bad: 0.364, reading: 'days', confidence: 1 },
      },
      risk_factors: [],
    })
    expect(plain).toMatchObject({ overall: 96.1, events_considered: 4500 })
    expect(plain).not.toHaveProperty('weights')
    expect(await scoreOf(reg, '?explain=false')).toEqual({ ...plain, computed_at: expect.any(String) })
  })

  it('lists the risk factors', async () => {
    const { reg } = await agentWith(rowsOf([SHORT, { ...SHORT, tasks: 0, critical: 1 }], TODAY))
    const { risk_factors, ...body } = await scoreOf(reg, '?explain=true')
    expect(body).toMatchObject({ provisional: true, confidence: 0.1 })
    expect(risk_factors[0]).toEqual({
      code: 'RECORD_SHORT',
      dimension: 'overall',
      message: expect.stringMatching(/there are 5\.0$/),
    })
    expect(risk_factors.map(({ code }: Body) => code)).toEqual([
      'RECORD_SHORT',
      'RECORD_UNATTESTED',
      'ACCURACY_NO_EVIDENCE',
      'SAFETY_RECENT_CRITICAL',
      'SAFETY_LOW',
      'SPEED_NO_EVIDENCE',
    ])
  })
})

describe('the inputs of a score', () => {
  /** The hash as docs/use/trust-score.md describes it, implemented independently. */
  const hashOf = (rows: Body[]) => {
    const lists = rows.map(({ day, source, ...counts }) => [day, source, ...Object.values(counts)])
    return createHash('sha256').update(JSON.stringify(lists)).digest('hex')
  }

  it('have a row for a reported day with exactly its fields, in order', async () => {
    const { key, reg } = await newReporter({ now: NOW })
    for (let n = 0; n < 11; n++)
      await report(key, reg, { metadata: { quality: 0.5, response_ms: 1500 } }, NOW)
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
    const { overall, reliability, accuracy, safety, speed, consistency, confidence } = await scoreOf(
      reg,
      '?explain=true',
    )
    const dimensions = { reliability, accuracy, safety, speed, consistency }
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        reg,
        today: TODAY,
        algorithm_version: '1.0',
        rows: [row],
        open_outages: 0,
        score: { overall, ...dimensions, events_considered: 12, provisional: true, confidence },
        sha256: hashOf([row]),
      },
    })
    expect(Object.keys(body.rows[0])).toEqual(Object.keys(row))
  })

  it('have the rows of the window in canonical order, from which the hash can be computed', async () => {
    const stored = randomRollups(seeded(1), TODAY, { largest: 1e6 })
    const { reg } = await agentWith(stored)
    const { body } = await inputs(reg)
    const window = stored.filter(({ day }) => day <= TODAY && day >= dayOfAge(89, TODAY))
    const order = ['self', 'unproven', 'peer', 'independent']
    const place = ({ day, source }: Body) => `${day} ${order.indexOf(source)}`
    expect(body.rows).toEqual(window.sort((a, b) => (place(a) < place(b) ? -1 : 1)))
    expect(body.sha256).toBe(hashOf(body.rows))
  })

  it('of a past day are unchanged by later events, and have no rows before the first', async () => {
    const { reg } = await agentWith(rowsOf([{ ...LONG, to: 149 }], TODAY))
    const past = '2026-05-15'
    const { body } = await inputs(reg, `?date=${past}`)
    expect([body.today, body.rows.length, body.rows.at(-1).day]).toEqual([past, 90, past])
    expect(body.score).toMatchObject({ events_considered: 90 * 50 })
    expect((await inputs(reg, '', new Date(`${past}T23:00:00Z`))).body).toEqual(body)
    expect((await inputs(reg, `?date=${TODAY}`)).body).toEqual((await inputs(reg)).body)
    const few = await agentWith(rowsOf([{ ...SHORT, tasks: 9, quality: 1 }], TODAY))
    expect((await inputs(few.reg)).body).toMatchObject({ rows: [{ completed: 9 }], score: null })
    expect(await scoreOf(few.reg)).toEqual({
      reg: few.reg,
      status: 'insufficient_data',
      message: 'a score requires 10 tasks in 90 days; 1 more needed',
    })
    const none = { rows: [], open_outages: 0, score: null, sha256: hashOf([]) }
    for (const date of ['2026-06-29', '1999-12-31', '0001-01-01', '2024-02-29'])
      expect((await inputs(few.reg, `?date=${date}`)).body).toMatchObject({ today: date, ...none })
  })

  it('remain at the last day of a deactivated agent, with earlier days', async () => {
    const { operator, reg } = await agentWith(rowsOf([{ ...LONG, to: 29 }], TODAY))
    const [before, earlier] = [(await inputs(reg)).body, (await inputs(reg, '?date=2026-06-20')).body]
    const explained = (now: Date) => api('GET', `/agents/${reg}/trust-score?explain=true`, { now })
    const score = (await explained(NOW)).body
    const body = { status: 'deactivated' }
    await api('PATCH', `/agents/${reg}`, { token: operator.token, body, now: NOW })
    const later = new Date('2026-09-30T12:00:00.000Z')
    for (const query of ['', '?date=2026-08-31'])
      expect((await inputs(reg, query, later)).body).toEqual(before)
    expect((await inputs(reg, '?date=2026-06-20', later)).body).toEqual(earlier)
    expect((await explained(later)).body).toEqual({ ...score, computed_at: expect.any(String) })
  })

  it('are rejected for what is no day up to today', async () => {
    const { reg } = await newReporter()
    for (const date of ['2026-07-01', '2025-02-29', '2026-6-1', '0000-01-01', '+002026-06-01', 'today'])
      expectError(await inputs(reg, `?date=${date}`), 400, 'VALIDATION_ERROR', /^date: /)
  })
})
