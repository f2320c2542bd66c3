import { afterAll, describe, expect, it } from 'vitest'
import { rebuildTrust } from '../../scripts/recompute/rebuild.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { ALGORITHM_VERSION, scoreAgent } from '../../src/trust/score.ts'
import { attestedAgent } from '../support/attested.ts'
import { ownStack } from '../support/harness.ts'
import { attributeOf, pageReader, textsOf } from '../support/pages.ts'
import { at, daysAfter, irreproducible, newScored } from '../support/scored.ts'

const own = await ownStack()
afterAll(own.stop)
const { api, sql, cron } = own

// Must run first, while there is no agent.
describe('a registry without an agent', () => {
  const read = pageReader(own)

  it('has a start page that invites to register the first one', async () => {
    const page = await read('/')
    expect(page.text).toContain('No agent is registered yet. Yours can be the first.')
    expect(attributeOf(page, 'class="button first"', 'href')).toBe('/console')
    expect(page.html).not.toContain('<h3>')
  })

  it('has a search page that explains agent numbers', async () => {
    const page = await read('/agents')
    expect(textsOf(page, 'h2')).toEqual(['No agent is registered yet', 'What an agent number looks like'])
    expect(textsOf(page, 'dt')).toEqual(['2026', '0001-0042', 'U'])
    expect(textsOf(await read('/agents?class=A'), 'h2')[0]).toBe('No agent found')
  })

  it('has a start page that recommends nobody without a good record', async () => {
    const operator = await own.newOperator()
    for (let n = 0; n < 2; n++) await own.newAgent(operator)
    const page = await read('/')
    expect(page.html).not.toContain('<h3>')
    expect(page.html).toContain('<a href="/agents?status=all">All 2 agents</a>')
  })

  it('omits agents of a suspended operator from the recommended, and from the list that it links to', async () => {
    const { agent, operator, key } = await attestedAgent(own, { now: new Date(Date.now() - 14 * DAY_MS) })
    const events = Array(24).fill({ reg: agent.reg, event_type: 'task_completed', metadata: { quality: 1 } })
    for (let age = 13; age >= 0; age--)
      await own.reportBatch(key, events, new Date(Date.now() - age * DAY_MS))
    await own.cron()
    expect((await read('/')).html).toContain(agent.reg)
    const listed = (await own.api('GET', '/agents/search')).body.pagination.total
    await own.suspend(operator)
    const page = await read('/')
    expect(page.html).not.toContain(agent.reg)
    expect(page.html).toContain(`<a href="/agents?status=all">All ${listed - 1} agents</a>`)
    const list = await read('/agents?status=all')
    expect(list.text).toContain(`${listed - 1} agents`)
    expect(list.html).not.toContain(agent.reg)
  })
})

describe('the history after a repair of the rollups', () => {
  const FIRST = '2026-07-01'

  /** An agent whose first day was scored with more tasks than its log has. */
  async function newDamaged(completed: number) {
    const agent = await newScored(own, { now: at(FIRST, '08:00:00') })
    await agent.work(at(FIRST, '09:00:00'), 12, 3)
    await sql('update agent_evidence set completed = $2 where agent_id = $1', [agent.id, completed])
    for (const day of [FIRST, '2026-07-02', '2026-08-02']) await cron(at(day, '12:00:00'))
    await agent.burn(at('2026-08-10', '09:00:00'))
    await agent.work(at('2026-08-10', '10:00:00'), 20)
    for (const day of ['2026-08-10', '2026-09-05']) await cron(at(day, '12:00:00'))
    return agent
  }
  const repair = async (id: string) => {
    const { findings } = await rebuildTrust(own.database_url, { repair: true })
    expect(findings).toMatchObject([{ agent_id: id, repaired: true }])
  }

  it('is computed again for each day of an active agent, with an event for the newest score only', async () => {
    const agent = await newDamaged(80)
    const damaged = await agent.history()
    const [reported, alerts] = [await agent.reported('trust.updated'), await agent.alerts()]
    expect(damaged.length).toBeGreaterThan(2)
    await repair(agent.id)
    expect(await irreproducible(own, agent.id, damaged)).toHaveLength(damaged.length)
    await cron(at('2026-09-05', '12:01:00'))
    expect(await agent.stats()).toMatchObject({ overall: damaged.at(-1)?.overall })
    expect(await agent.reported('trust.updated')).toEqual(reported)
    for (const minute of ['02', '03']) await cron(at('2026-09-05', `12:${minute}:00`))
    const repaired = await agent.history()
    expect(repaired.map(({ day }) => day)).toEqual(expect.arrayContaining(damaged.map(({ day }) => day)))
    expect(await irreproducible(own, agent.id, repaired)).toEqual([])
    expect(await agent.stats()).toMatchObject({
      overall: repaired.at(-1)?.overall,
      scored_day: '2026-09-05',
      unscored_since: null,
    })
    expect(await agent.reported('trust.updated')).toHaveLength(reported.length + 1)
    expect(await agent.alerts()).toEqual(alerts)
  })

  it('is computed again for a deactivated agent, up to its last day', async () => {
    const agent = await newDamaged(80)
    const now = at('2026-09-06', '12:00:00')
    const { token } = await own.newOperator({ email: agent.operator.email, now })
    const body = { status: 'deactivated' }
    expect((await api('PATCH', `/agents/${agent.reg}`, { token, body, now })).status).toBe(200)
    await cron(at('2026-09-07', '12:00:00'))
    const { overall } = await agent.stats()
    await repair(agent.id)
    for (const minute of ['01', '02', '03', '04']) await cron(at('2026-10-20', `12:${minute}:00`))
    const repaired = await agent.history()
    expect(repaired.at(-1)?.day).toBe('2026-09-06')
    expect(await irreproducible(own, agent.id, repaired)).toEqual([])
    const stats = await agent.stats()
    expect(stats).toMatchObject({ scored_day: null, unscored_since: null })
    expect(stats.overall).toBe(repaired.at(-1)?.overall)
    expect(stats.overall).not.toBe(overall)
  })

  it('has no score for days with too few tasks in the log', async () => {
    const agent = await newScored(own)
    await agent.work(at(FIRST, '09:00:00'), 4)
    await sql('update agent_evidence set completed = 40 where agent_id = $1', [agent.id])
    await cron(at('2026-07-03', '12:00:00'))
    await agent.work(at('2026-08-20', '10:00:00'), 20)
    for (const day of ['2026-08-03', '2026-09-05']) await cron(at(day, '12:00:00'))
    await repair(agent.id)
    for (const minute of ['01', '02', '03']) await cron(at('2026-09-05', `12:${minute}:00`))
    const repaired = await agent.history()
    expect(repaired[0]?.day).toBe('2026-08-20')
    expect(await irreproducible(own, agent.id, repaired)).toEqual([])
    expect(await agent.stats()).toMatchObject({ overall: repaired.at(-1)?.overall, scored_day: '2026-09-05' })
  })
})

// On its own stack, because a clean-up of other tests would delete a session of 1970.
it.each(['1970-01-01T00:00:00Z', '9990-12-31T23:59:59Z'])(
  'the API works with the test clock at %s',
  async (time) => {
    const now = new Date(time)
    const operator = await own.signInByMail(undefined, now)
    const { token } = operator
    const { reg } = await own.newAgent(operator, {}, now)
    const { key } = await own.newKey(operator, undefined, {}, now)
    await own.report(key, reg, { event_type: 'incident' }, now)
    const paths = ['', '/trust-score', '/trust-score/history', '/incidents'].map(
      (end) => `/agents/${reg}${end}`,
    )
    for (const path of [
      ...paths,
      '/operators/me/dashboard',
      '/operators/me/audit-log',
      '/operators/me/kyc',
      '//ready',
    ]) {
      const { status } = await api('GET', path, path.startsWith('/agents') ? { now } : { token, now })
      expect(status, path).toBeLessThan(500)
    }
  },
)

describe('the score of a snapshot', () => {
  const DAY = '2027-03-01'

  type Agent = Awaited<ReturnType<typeof newScored>>

  /** Whether the stored score of a day is returned without computing it again. */
  async function isSettled(agent: Agent, day: string): Promise<boolean> {
    const [row] = await own.sql(
      `select score_basis(s, deactivated_at, $2, $3, 90) -> 'score' ->> 'overall' is not null as settled
       from agents join agent_stats s on s.agent_id = id where id = $1`,
      [agent.id, day, ALGORITHM_VERSION],
    )
    return row.settled
  }

  /** Expects that all public endpoints return the score of the published rows; returns it. */
  async function expectScoreOfRows(agent: Agent, now: Date): Promise<number | null> {
    const read = async (path: string) => (await own.api('GET', path, { now })).body
    const path = `/agents/${agent.reg}`
    const { rows, today } = await read(`${path}/trust-score/inputs`)
    const made = scoreAgent(rows, today)
    const text = made === null ? null : made.overall.toFixed(1)
    const reported = await read(`${path}/trust-score`)
    if (made) {
      const { provisional, confidence, ...published } = made
      expect(reported).toEqual({ reg: agent.reg, ...published, computed_at: expect.any(String) })
    } else expect(reported).toMatchObject({ reg: agent.reg, status: 'insufficient_data' })
    expect((await read(path)).trust_score_overall).toBe(text)
    expect((await read(`/verify/${agent.reg}`)).trust_score_overall).toBe(text)
    return made?.overall ?? null
  }

  it('is returned only while it equals that of the log', async () => {
    const agent = await newScored(own, { now: at(DAY, '09:00:00') })
    await agent.work(at(DAY, '10:00:00'), 40, 3)
    expect(await isSettled(agent, DAY)).toBe(false)
    const before = await expectScoreOfRows(agent, at(DAY, '10:00:10'))

    await own.cron(at(DAY, '10:01:00'))
    expect(await isSettled(agent, DAY)).toBe(true)
    expect(await expectScoreOfRows(agent, at(DAY, '10:01:10'))).toBe(before)

    await agent.work(at(DAY, '10:02:00'), 0, 5)
    expect(await isSettled(agent, DAY)).toBe(false)
    expect(await expectScoreOfRows(agent, at(DAY, '10:02:00'))).toBeLessThan(before ?? 0)

    await own.cron(at(DAY, '10:03:00'))
    expect(await isSettled(agent, DAY)).toBe(true)
    const next = daysAfter(DAY, 1)
    expect(await isSettled(agent, next)).toBe(false)
    await expectScoreOfRows(agent, at(next, '00:00:00'))
    await expectScoreOfRows(agent, at(daysAfter(DAY, 40), '12:00:00'))
    await expectScoreOfRows(agent, at(daysAfter(DAY, 90), '12:00:00'))
  })

  it('is computed again if it is of another algorithm', async () => {
    const agent = await newScored(own, { now: at(DAY, '09:00:00') })
    await agent.work(at(DAY, '10:00:00'), 40)
    await own.cron(at(DAY, '10:01:00'))
    await own.sql(`update agent_stats set kept_algorithm = '0.9' where agent_id = $1`, [agent.id])
    expect(await isSettled(agent, DAY)).toBe(false)
    await expectScoreOfRows(agent, at(DAY, '10:02:00'))
  })
})
