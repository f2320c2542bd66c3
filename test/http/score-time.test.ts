import { describe, expect, it } from 'vitest'
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

async function newScored() {
  const operator = await newOperator()
  const { slug } = await newPlatform(operator)
  const { reg } = await newAgent(operator, { platform_slug: slug })
  const { key } = await newKey(operator)
  const [task] = await h.reportBatch(key, Array(TASKS).fill({ reg, event_type: 'task_completed' }))
  return { operator, slug, reg: reg as string, key: key as string, since: task.created_at as string }
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
    await using receiver = await startReceiver()
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
