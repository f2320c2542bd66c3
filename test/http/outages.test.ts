import { expect, it } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { attestedAgent } from '../support/attested.ts'
import { tirelessKey } from '../support/fill.ts'
import { type Body, shared } from '../support/harness.ts'

const h = shared()

const DAY_SECONDS = 86_400

const START = Date.now()
const at = (day: number) => new Date(START + day * DAY_MS)
const dayOf = (day: number) => at(day).toISOString().slice(0, 10)

/** An agent with tasks, that its platform and its operator report on. */
async function reportedAgent() {
  const { agent, operator, key: platform } = await attestedAgent(h, { source: 'peer' })
  const { reg } = agent
  const own = await tirelessKey(h, operator)
  const report = (key: string, day: number, event_type: string, severity = 'info') =>
    h.report(key, reg, { event_type, severity }, at(day))
  for (let n = 0; n < 10; n++) await report(platform, 0, 'task_completed')
  const inputs = async (day: number, on = day) =>
    (await h.api('GET', `/agents/${reg}/trust-score/inputs?date=${dayOf(on)}`, { now: at(day) })).body
  const risks = async (day: number) => {
    const { body } = await h.api('GET', `/agents/${reg}/trust-score?explain=true`, { now: at(day) })
    return body.risk_factors.map(({ code }: { code: string }) => code)
  }
  return { reg, platform, own, report, inputs, risks }
}

it('an outage that a platform reports counts until a side of the platforms ends it, whatever the operator reports', async () => {
  const { platform, own, report, inputs, risks } = await reportedAgent()
  await report(platform, 0, 'shutdown', 'critical')
  expect(await inputs(0)).toMatchObject({ open_outages: 0 })
  expect(await inputs(1)).toMatchObject({ open_outages: 1 })
  const before = (await inputs(2)).score.reliability
  for (const type of ['startup', 'shutdown', 'startup']) await report(own, 2, type)
  expect(await inputs(2)).toMatchObject({ open_outages: 1, score: { reliability: before } })
  expect(await risks(2)).toContain('RELIABILITY_OUTAGE')
  await report(platform, 4, 'task_completed')
  expect(await inputs(4)).toMatchObject({ open_outages: 0 })
  expect(await risks(4)).not.toContain('RELIABILITY_OUTAGE')
})

it('an outage keeps what it was on each past day, with score and hash', async () => {
  const { own, platform, report, inputs } = await reportedAgent()
  await report(platform, 0, 'shutdown', 'error')
  await report(own, 1, 'shutdown', 'error')
  const live = [await inputs(1), await inputs(2), await inputs(3)]
  await report(platform, 4, 'startup')
  await report(own, 5, 'startup')
  const later = await Promise.all([0, 1, 2, 3, 4, 5].map((day) => inputs(9, day)))
  expect(later.slice(1, 4)).toEqual(live)
  expect(later.map(({ open_outages }) => open_outages)).toEqual([0, 1, 2, 2, 1, 0])
  const { rows } = await inputs(9)
  const down: Body[] = rows.filter(({ down_seconds }: Body) => down_seconds > 0)
  expect(
    down.map(({ day, source, down_seconds }) => [day, source, Math.round(down_seconds / DAY_SECONDS)]),
  ).toEqual([
    [dayOf(4), 'peer', 4],
    [dayOf(5), 'self', 4],
  ])
})
