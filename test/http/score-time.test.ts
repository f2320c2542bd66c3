import { describe, expect, it, onTestFinished } from 'vitest'
import { DAY_MS, utcDay } from '../../src/lib/time.ts'
import { type Body, shared, startReceiver } from '../support/harness.ts'
import { untilScored } from '../support/logged.ts'

const TASKS = 10 // a score requires them

const h = shared()
const { api, newOperator, newAgent, newKey, newPlatform, report } = h

const scoreOf = ({ trust_score_overall, trust_score_updated }: Body) => ({
  trust_score_overall,
  trust_score_updated,
})

const profileOf = async (reg: string, now?: Date) =>
  scoreOf((await api('GET', `/agents/${reg}`, { ...(now && { now }) })).body)

/** Reports completed tasks; returns the time of all. */
async function reportTasks(key: string, reg: string): Promise<string> {
  const events = Array.from({ length: TASKS }, () => ({ reg, event_type: 'task_completed' }))
  const { body } = await api('POST', '/activity/report/batch', { token: key, body: { events } })
  return body.data[0].event.created_at
}

async function newScored() {
  const operator = await newOperator()
  const { slug } = await newPlatform(operator)
  const { reg } = await newAgent(operator, { platform_slug: slug })
  const { key } = await newKey(operator)
  const since = await reportTasks(key, reg)
  return { operator, slug, reg: reg as string, key: key as string, since }
}

describe('trust_score_updated', () => {
  it('is that of the event that led to the score, before and after the score is stored', async () => {
    const { reg, key, since } = await newScored()
    const first = await profileOf(reg)
    expect(first).toEqual({ trust_score_overall: expect.stringMatching(/^\d/), trust_score_updated: since })
    await untilScored(h, reg)
    expect(await profileOf(reg)).toEqual(first)

    const { created_at: failed } = await report(key, reg, { event_type: 'task_failed' })
    const second = await profileOf(reg)
    expect(second).toEqual({ trust_score_overall: expect.any(String), trust_score_updated: failed })
    expect(second.trust_score_overall).not.toBe(first.trust_score_overall)
    await untilScored(h, reg)
    expect(await profileOf(reg)).toEqual(second)

    await report(key, reg, { event_type: 'heartbeat' }) // leaves the score as it is
    expect(await profileOf(reg)).toEqual(second)
    await untilScored(h, reg)
    expect(await profileOf(reg)).toEqual(second)

    const later = new Date(Date.now() + 60 * DAY_MS) // the window has moved
    const moved = await profileOf(reg, later)
    expect(moved.trust_score_overall).not.toBe(second.trust_score_overall)
    expect(moved.trust_score_updated).toBe(`${utcDay(later)}T00:00:00.000Z`)
  })

  it('is shown beside the score wherever the score is shown, also in webhook events', async () => {
    const receiver = await startReceiver()
    onTestFinished(receiver.stop)
    const { operator, slug, reg, since } = await newScored()
    const { token } = operator
    const reader = (await newKey(operator, ['read'])).key
    const get = async (path: string, credential = token) =>
      (await api('GET', path, { token: credential })).body as Body
    const profile = await profileOf(reg)
    expect(profile.trust_score_updated).toBe(since)
    expect(scoreOf(await get(`/verify/${reg}`))).toEqual(profile)
    expect(scoreOf(await get(`/verify/${reg}/full`, reader))).toEqual(profile)
    expect((await get('/operators/me/agents')).data.map(scoreOf)).toEqual([profile])
    const average = {
      average_trust_score: Number(profile.trust_score_overall),
      average_trust_score_updated: since,
    }
    expect(await get('/operators/me/dashboard')).toMatchObject(average)
    await untilScored(h, reg)
    expect(await get('/operators/me/dashboard')).toMatchObject(average)
    expect((await get(`/platforms/${slug}/agents`)).data.map(scoreOf)).toEqual([profile])
    const platform = { webhook_url: receiver.url, event_types: ['agent.updated', 'agent.deactivated'] }
    await api('PATCH', `/platforms/${slug}`, { token, body: platform })
    const body = { name: 'Other', status: 'deactivated' }
    expect(scoreOf((await api('PATCH', `/agents/${reg}`, { token, body })).body)).toEqual(profile)
    const [updated] = await receiver.arrival(1, 'agent.updated')
    const [deactivated] = await receiver.arrival(1, 'agent.deactivated')
    for (const sent of [updated, deactivated]) expect(scoreOf(sent?.event.data)).toEqual(profile)
  })
})
