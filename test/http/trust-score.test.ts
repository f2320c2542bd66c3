import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { RISKS } from '../../src/trust/risks.ts'
import { scoreAgent } from '../../src/trust/score.ts'
import { storeRows, tirelessReporter } from '../support/fill.ts'
import { type Body, shared } from '../support/harness.ts'
import { rowsOf, type Stretch } from '../vectors/rollups.ts'

const h = shared()
const { api, openApi, newOperator, newAgent } = h

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
const LATE: Stretch = { ...LONG, to: 4, tasks: 3, completed: 3 }
const SHORT: Stretch = { source: 'self', from: 0, to: 0, tasks: 12 }

async function agentWith(...record: readonly Stretch[]) {
  const operator = await newOperator()
  const { id, reg } = await newAgent(operator)
  await storeRows(h, id, rowsOf(record, TODAY))
  return { operator, id: id as string, reg: reg as string }
}

const scoreOf = async (reg: string, query = '', now = NOW): Promise<Body> =>
  (await api('GET', `/agents/${reg}/trust-score${query}`, { now })).body

describe('explain=true', () => {
  it('adds exactly the explanation of the score', async () => {
    const { reg } = await agentWith(LONG)
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

  it.each([
    ['independent reports', [LONG]],
    ['reports of all sources', [{ ...LONG, source: 'peer', from: 40 }, LATE, { ...LONG, source: 'self' }]],
    [
      'a sudden decline',
      [
        { ...LONG, from: 7 },
        { ...LONG, to: 6, completed: 15, quality: 0.3 },
      ],
    ],
    ['a newcomer', [{ ...LONG, to: 3 }]],
  ] satisfies [string, Stretch[]][])(
    'allows the reader to compute overall by hand, for %s',
    async (_, record) => {
      const { reg } = await agentWith(...record)
      const { weights, overall, dimensions, ...score } = await scoreOf(reg, '?explain=true')
      const sum = Object.entries(weights).reduce(
        (all, [name, weight]) => all + Number(weight) * score[name],
        0,
      )
      expect(overall).toBe(Math.round(Number((10 * sum).toFixed(6))) / 10)
      for (const [name, { good, bad, reading, confidence }] of Object.entries<Body>(dimensions)) {
        const neutral = reading === 'fortnight' ? 10 : 5
        const read = (100 * (good + neutral)) / (good + bad + 10)
        expect(score[name], name).toBeCloseTo(read > 50 ? 50 + confidence * (read - 50) : read, 1)
      }
    },
  )

  it('shows the ceiling of a critical event, which counts half if self-reported', async () => {
    const critical: Stretch = { source: 'independent', from: 60, to: 60, critical: 1 }
    const expected = [
      ['independent', 83.3],
      ['peer', 83.3],
      ['self', 91.7],
    ] as const
    for (const [source, safety] of expected) {
      const { reg } = await agentWith(LONG, { ...critical, source })
      const body = await scoreOf(reg, '?explain=true')
      expect(body).toMatchObject({ safety, dimensions: { safety: { reading: 'ceiling' } } })
    }
  })

  it('lists the risk factors', async () => {
    const { reg } = await agentWith(SHORT, { ...SHORT, tasks: 0, critical: 1 })
    const body = await scoreOf(reg, '?explain=true')
    expect(body).toMatchObject({ provisional: true, confidence: 0.1 })
    expect(body.evidence).toEqual({ self: 1, unproven: 0, peer: 0, independent: 0 })
    expect(body.risk_factors).toEqual([
      { code: 'RECORD_SHORT', dimension: 'overall', message: expect.stringMatching(/there are 5\.0$/) },
      { code: 'RECORD_UNATTESTED', dimension: 'overall', message: expect.any(String) },
      { code: 'ACCURACY_NO_EVIDENCE', dimension: 'accuracy', message: expect.any(String) },
      { code: 'SAFETY_RECENT_CRITICAL', dimension: 'safety', message: expect.stringMatching(/0 days old/) },
      { code: 'SAFETY_LOW', dimension: 'safety', message: expect.any(String) },
      { code: 'SPEED_NO_EVIDENCE', dimension: 'speed', message: expect.any(String) },
    ])
  })

  it('shows the share of each source in the events of the window', async () => {
    const { reg } = await agentWith(
      { ...LONG, source: 'self', to: 37 },
      { ...LONG, from: 38, to: 38 },
      { ...LONG, source: 'peer', from: 39, to: 39 },
    )
    const evidenceOn = async (now: Date) => (await scoreOf(reg, '?explain=true', now)).evidence
    expect(await evidenceOn(NOW)).toEqual({ self: 0.95, unproven: 0, peer: 0.025, independent: 0.025 })
    const later = new Date(NOW.getTime() + 51 * DAY_MS)
    expect(await evidenceOn(later)).toEqual({ self: 0.9744, unproven: 0, peer: 0, independent: 0.0256 })
    expect(await evidenceOn(new Date(later.getTime() + DAY_MS))).toEqual({
      self: 1,
      unproven: 0,
      peer: 0,
      independent: 0,
    })
  })

  it('returns how many tasks are missing if there is no score', async () => {
    const { reg } = await agentWith({ ...SHORT, tasks: 7 })
    for (const query of ['', '?explain=true']) {
      expect(await scoreOf(reg, query)).toEqual({
        reg,
        status: 'insufficient_data',
        message: 'a score requires 10 tasks in 90 days; 3 more needed',
      })
    }
  })

  it('is described in the OpenAPI document with three schemas and every risk code', async () => {
    const document = await openApi()
    const route = document.find('GET', '/agents/x/trust-score')
    const schema = route?.responses[200]?.content?.['application/json']?.schema ?? {}
    const forms = document.resolve(schema).anyOf ?? []
    expect(forms.map(({ $ref }) => $ref?.split('/').at(-1))).toEqual([
      'ExplainedTrustScore',
      'TrustScore',
      'InsufficientData',
    ])
    const code = document.resolve({ $ref: '#/components/schemas/RiskFactor' }).properties?.code
    expect(code?.enum).toEqual(RISKS.map((risk) => risk.code))
  })
})

describe('a score', () => {
  it('is at most 59.0 with only self-reported events', async () => {
    const { key, reg } = await tirelessReporter(h)
    for (let age = 12; age >= 0; age--) {
      const events = Array.from({ length: 20 }, () => ({
        reg,
        event_type: 'task_completed',
        metadata: { quality: 1, response_ms: 10 },
      }))
      const now = new Date(NOW.getTime() - age * DAY_MS)
      await api('POST', '/activity/report/batch', { token: key, body: { events }, now })
    }
    const { overall, risk_factors } = await scoreOf(reg, '?explain=true')
    expect(overall).toBe(59)
    expect(risk_factors.map(({ code }: Body) => code)).toEqual(['RECORD_SHORT', 'RECORD_UNATTESTED'])
  })

  it('does not move to another number of the same operator', async () => {
    const { operator, reg } = await agentWith(LONG, { source: 'independent', from: 0, to: 0, critical: 1 })
    await api('PATCH', `/agents/${reg}`, { token: operator.token, body: { status: 'deactivated' }, now: NOW })
    const { reg: again } = await newAgent(operator, {}, NOW)
    expect(again).not.toBe(reg)
    expect(await scoreOf(again, '?explain=true')).toMatchObject({ status: 'insufficient_data' })
    const { body } = await api('GET', `/agents/${again}/trust-score/inputs`, { now: NOW })
    expect(body).toMatchObject({ rows: [], score: null })
    expect((await scoreOf(reg)).safety).toBe(50)
  })

  it('equals the score computed from the test vectors', async () => {
    const { reg } = await agentWith(LONG)
    const { overall } = scoreAgent(rowsOf([LONG], TODAY), TODAY) ?? {}
    expect((await scoreOf(reg)).overall).toBe(overall)
  })
})
