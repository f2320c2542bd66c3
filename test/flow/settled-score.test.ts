import { afterAll, expect, it } from 'vitest'
import { ALGORITHM_VERSION, scoreAgent } from '../../src/trust/score.ts'
import { ownStack } from '../support/harness.ts'
import { at, daysAfter, newScored } from '../support/scored.ts'

const own = await ownStack()
afterAll(own.stop)

const DAY = '2027-03-01'

type Agent = Awaited<ReturnType<typeof newScored>>

/** Whether the stored score of a day is returned without computing it again. */
async function isSettled(agent: Agent, day: string): Promise<boolean> {
  const [row] = await own.sql(
    `select score_basis(id, deactivated_at, $2, $3, 90) -> 'score' ->> 'overall' is not null as settled
     from agents where id = $1`,
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

it('returns the score of a snapshot only while it equals that of the log', async () => {
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

it('computes the score again if it is of another algorithm', async () => {
  const agent = await newScored(own, { now: at(DAY, '09:00:00') })
  await agent.work(at(DAY, '10:00:00'), 40)
  await own.cron(at(DAY, '10:01:00'))
  await own.sql(`update agent_stats set kept_algorithm = '0.9' where agent_id = $1`, [agent.id])
  expect(await isSettled(agent, DAY)).toBe(false)
  await expectScoreOfRows(agent, at(DAY, '10:02:00'))
})

it('returns the score of the rows after every step of a random history', async () => {
  const agents = await Promise.all([1, 2, 3].map(() => newScored(own, { now: at(DAY, '00:00:00') })))
  let [now, seed, settled] = [Date.parse(`${DAY}T08:00:00Z`), 20261121, 0]
  const random = (most: number) => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31
    return Math.floor((seed / 2 ** 31) * most)
  }
  for (let step = 0; step < 24; step++) {
    now += [1_000, 60_000, 3_600_000, 86_400_000][random(4)] ?? 0
    const agent = agents[random(3)] as Agent
    if (random(2) === 0) await agent.work(new Date(now), random(20), 1 + random(3))
    else await own.cron(new Date(now))
    for (const each of agents) {
      await expectScoreOfRows(each, new Date(now))
      settled += Number(await isSettled(each, new Date(now).toISOString().slice(0, 10)))
    }
  }
  expect(settled).toBeGreaterThan(10)
})
