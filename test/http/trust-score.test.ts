import { describe, expect, it } from 'vitest'
import { RISKS } from '../../src/trust/risks.ts'
import { scoreAgent } from '../../src/trust/score.ts'
import { storeDays, tirelessReporter, unknownReg } from '../support/fill.ts'
import { type Body, expectError, shared } from '../support/harness.ts'
import { rowsOf } from '../vectors/rollups.ts'

const h = shared()
const { api, sql, openApi, newOperator, newAgent, report } = h

const DAY_MS = 86_400_000
const NOW = new Date('2026-06-30T12:00:00.000Z')
const TODAY = '2026-06-30'
/** 98 % of 50 tasks a day, for 90 days. */
const LONG = { days: 90, tasks: 50, completed: [49], quality: 0.95 }
const SHORT = { days: 1, tasks: 12, completed: [12], quality: null }

async function agentWith(record: Parameters<typeof rowsOf>[0]) {
  const operator = await newOperator()
  const { id, reg } = await newAgent(operator)
  await storeDays(h, id, rowsOf(record, TODAY))
  return { operator, id: id as string, reg: reg as string }
}

const scoreOf = async (reg: string, query = '', now = NOW): Promise<Body> =>
  (await api('GET', `/agents/${reg}/trust-score${query}`, { now })).body

describe('explain=true', () => {
  it('adds exactly what stands behind the score', async () => {
    const { id, reg } = await agentWith(LONG)
    await sql('update agent_daily set platform_events = 5 where agent_id = $1', [id])
    const plain = await scoreOf(reg)
    expect(await scoreOf(reg, '?explain=true')).toEqual({
      ...plain,
      computed_at: expect.any(String),
      provisional: false,
      confidence: 1,
      weights: { reliability: 0.3, accuracy: 0.25, safety: 0.25, speed: 0.1, consistency: 0.1 },
      evidence: { operator: 0.9, platform: 0.1 },
      risk_factors: [],
    })
    expect(plain).toMatchObject({ overall: 97, events_considered: 4500 })
  })

  it('lets the reader compute overall with a pencil', async () => {
    const { reg } = await agentWith({ ...LONG, critical_age: 60 })
    const { weights, overall, ...score } = await scoreOf(reg, '?explain=true')
    const sum = Object.entries(weights).reduce((all, [name, weight]) => all + Number(weight) * score[name], 0)
    expect(overall).toBeCloseTo(sum, 1)
  })

  it('says what a reader should beware of', async () => {
    const { reg } = await agentWith({ ...SHORT, critical_age: 0 })
    const body = await scoreOf(reg, '?explain=true')
    expect(body).toMatchObject({ provisional: true, confidence: 0.0714 })
    expect(body.evidence).toEqual({ operator: 1, platform: 0 })
    expect(body.risk_factors).toEqual([
      { code: 'RECORD_SHORT', dimension: 'overall', message: expect.stringMatching(/\(10 count\)/) },
      { code: 'RECORD_SELF_REPORTED', dimension: 'overall', message: expect.any(String) },
      { code: 'ACCURACY_NO_EVIDENCE', dimension: 'accuracy', message: expect.any(String) },
      { code: 'SAFETY_RECENT_CRITICAL', dimension: 'safety', message: expect.stringMatching(/0 days old/) },
      { code: 'SAFETY_LOW', dimension: 'safety', message: expect.any(String) },
      { code: 'CONSISTENCY_NO_EVIDENCE', dimension: 'consistency', message: expect.any(String) },
    ])
  })

  it('counts as evidence of platforms only what lies in the window', async () => {
    const { id, reg } = await agentWith({ ...LONG, days: 40 })
    const by = (days: string) =>
      sql(`update agent_daily set platform_events = 50 where agent_id = $1 and day ${days}`, [id])
    await by("= '2026-06-30'::date - 39")
    expect((await scoreOf(reg, '?explain=true')).evidence).toEqual({ operator: 0.975, platform: 0.025 })
    const later = new Date(NOW.getTime() + 51 * DAY_MS)
    expect((await scoreOf(reg, '?explain=true', later)).evidence).toEqual({ operator: 1, platform: 0 })
  })

  it('still answers what is missing when there is no score [4.3b]', async () => {
    const { reg } = await agentWith({ ...SHORT, tasks: 7, completed: [7] })
    for (const query of ['', '?explain=false', '?explain=true']) {
      expect(await scoreOf(reg, query)).toEqual({
        reg,
        status: 'insufficient_data',
        message: 'a score needs 10 tasks in 90 days: 3 more',
      })
    }
  })

  it('is off by default, and with false', async () => {
    const { reg } = await agentWith(LONG)
    const { computed_at, ...plain } = await scoreOf(reg)
    expect(await scoreOf(reg, '?explain=false')).toEqual({ ...plain, computed_at: expect.any(String) })
  })

  it.each(['explain=', 'explain', 'explain=1', 'explain=yes', 'explain=TRUE', 'explain=true&explain=false'])(
    'refuses %s with a 400 that names it',
    async (query) => {
      const answer = await api('GET', `/agents/${unknownReg()}/trust-score?${query}`)
      expectError(answer, 400, 'VALIDATION_ERROR', /^explain: /)
    },
  )

  it('is described by the document: three closed forms, and every code', async () => {
    const document = await openApi()
    const route = document.find('GET', '/agents/x/trust-score')
    const forms = route?.responses[200]?.content?.['application/json']?.schema.anyOf ?? []
    expect(forms.map(({ $ref }) => $ref?.split('/').at(-1))).toEqual([
      'TrustScore',
      'ExplainedTrustScore',
      'InsufficientData',
    ])
    const code = document.resolve({ $ref: '#/components/schemas/RiskFactor' }).properties?.code
    expect(code?.enum).toEqual(RISKS.map((risk) => risk.code))
  })
})

describe('a score cannot be had by tricks', () => {
  it('moves by less than three points when a 60 % agent claims a million successes in a day', async () => {
    const mediocre = { days: 90, tasks: 20, completed: [12], quality: 0.5 }
    const [before, after] = await Promise.all([
      agentWith(mediocre),
      agentWith({ ...mediocre, flood_today: 1_000_000 }),
    ])
    const [calm, flooded] = [await scoreOf(before.reg), await scoreOf(after.reg)]
    expect([calm.overall, flooded.overall]).toEqual([73.5, 75.4])
    expect(flooded.events_considered).toBe(1_001_780)
  })

  it('does not move by a few seconds of uptime', async () => {
    const { key, reg } = await tirelessReporter(h)
    for (let n = 0; n < 12; n++) await report(key, reg, {}, NOW)
    const before = await scoreOf(reg)
    await report(key, reg, { event_type: 'startup' }, NOW)
    const later = new Date(NOW.getTime() + 5_000)
    await report(key, reg, { event_type: 'shutdown' }, later)
    const after = await scoreOf(reg, '', later)
    const inputs = await api('GET', `/agents/${reg}/trust-score/inputs`, { now: later })
    const { up_seconds } = inputs.body.rows[0] // each request's clock runs on while it is served
    expect(up_seconds).toBeGreaterThan(0)
    expect(up_seconds).toBeLessThan(10)
    expect(after).toEqual({ ...before, events_considered: 14, computed_at: expect.any(String) })
  })

  it('begins at nothing when its operator registers it again under another number', async () => {
    const { operator, reg } = await agentWith({ ...LONG, critical_age: 0 })
    await api('PATCH', `/agents/${reg}`, { token: operator.token, body: { status: 'deactivated' }, now: NOW })
    const { reg: again } = await newAgent(operator, {}, NOW)
    expect(again).not.toBe(reg)
    expect(await scoreOf(again, '?explain=true')).toMatchObject({ status: 'insufficient_data' })
    const { body } = await api('GET', `/agents/${again}/trust-score/inputs`, { now: NOW })
    expect(body).toMatchObject({ rows: [], score: null })
    expect((await scoreOf(reg)).safety).toBe(50)
  })

  it('stays with the number when the agent is deactivated: number, log and last score, marked as such', async () => {
    const { operator, reg, key } = await tirelessReporter(h)
    for (let n = 0; n < 12; n++) await report(key, reg, { metadata: { quality: 0.9 } }, NOW)
    const before = await scoreOf(reg, '?explain=true')
    const gone = await api('PATCH', `/agents/${reg}`, {
      token: operator.token,
      body: { status: 'deactivated' },
      now: NOW,
    })
    expect(gone.body).toMatchObject({ reg, status: 'deactivated' })
    for (const days of [0, 60, 400]) {
      const now = new Date(NOW.getTime() + days * DAY_MS)
      expect(await scoreOf(reg, '?explain=true', now)).toEqual({ ...before, computed_at: expect.any(String) })
      const { body: profile } = await api('GET', `/agents/${reg}`, { now })
      const overall = before.overall.toFixed(1)
      expect(profile).toMatchObject({ reg, status: 'deactivated', trust_score_overall: overall })
      const { body: quick } = await api('GET', `/verify/${reg}`, { now })
      expect(quick).toMatchObject({ registered: true, active: false, trust_score_overall: overall })
      const { body: log } = await api('GET', `/agents/${reg}/activity`, { now })
      expect(log.pagination.total).toBe(12)
      const { body: found } = await api('GET', `/agents/search?q=${reg}`, { now })
      expect(found.data).toMatchObject([{ reg, status: 'deactivated' }])
    }
    const late = await api('POST', '/activity/report', {
      token: key,
      body: { reg, event_type: 'task_completed' },
      now: new Date(NOW.getTime() + DAY_MS),
    })
    expectError(late, 410, 'AGENT_DEACTIVATED')
  })

  it('is the same for whoever computes it from the vectors', async () => {
    const { reg } = await agentWith(LONG)
    const { overall } = scoreAgent(rowsOf(LONG, TODAY), TODAY) ?? {}
    expect((await scoreOf(reg)).overall).toBe(overall)
  })
})
