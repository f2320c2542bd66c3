import { describe, expect, it } from 'vitest'
import { eventually } from '../support/fill.ts'
import { type Body, shared, startReceiver } from '../support/harness.ts'

const TASKS = 10 // a score requires them
const DAY_MS = 86_400_000

const h = shared()
const { api, newOperator, newAgent, newKey, newPlatform, report } = h

const dayOf = (time: Date) => `${time.toISOString().slice(0, 10)}T00:00:00.000Z`

const scoreOf = ({ trust_score_overall, trust_score_updated }: Body) => ({
  trust_score_overall,
  trust_score_updated,
})

const profileOf = async (reg: string, now?: Date) =>
  scoreOf((await api('GET', `/agents/${reg}`, { ...(now && { now }) })).body)

/** Reports completed tasks; returns the time of the last one. */
async function reportTasks(key: string, reg: string, count = TASKS): Promise<string> {
  let last = ''
  for (let n = 0; n < count; n++) last = (await report(key, reg)).created_at
  return last
}

/** Runs the job that stores scores until it has stored that of the agent. */
const scored = (reg: string) =>
  eventually(
    async () => {
      await h.cron()
      return h.sql(
        'select 1 from agent_stats s join agents a on a.id = s.agent_id where reg = $1 and unscored_since is null',
        [reg],
      )
    },
    (rows) => rows.length === 1,
  )

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
    await scored(reg)
    expect(await profileOf(reg)).toEqual(first)

    const { created_at: failed } = await report(key, reg, { event_type: 'task_failed' })
    const second = await profileOf(reg)
    expect(second).toEqual({ trust_score_overall: expect.any(String), trust_score_updated: failed })
    expect(second.trust_score_overall).not.toBe(first.trust_score_overall)
    await scored(reg)
    expect(await profileOf(reg)).toEqual(second)
  })

  it('does not change with events that leave the score as it is', async () => {
    const { reg, key } = await newScored()
    await scored(reg)
    const before = await profileOf(reg)
    await report(key, reg, { event_type: 'heartbeat' })
    expect(await profileOf(reg)).toEqual(before)
    await scored(reg)
    expect(await profileOf(reg)).toEqual(before)
  })

  it('is the start of the UTC day if the score changed because its window moved', async () => {
    const { reg } = await newScored()
    await scored(reg)
    const before = await profileOf(reg)
    const later = new Date(Date.now() + 60 * DAY_MS)
    const moved = await profileOf(reg, later)
    expect(moved.trust_score_overall).not.toBe(before.trust_score_overall)
    expect(moved.trust_score_updated).toBe(dayOf(later))
  })

  it('is null as long as there is no score', async () => {
    const created = await newAgent(await newOperator())
    expect(scoreOf(created)).toEqual({ trust_score_overall: null, trust_score_updated: null })
    expect(await profileOf(created.reg)).toEqual({ trust_score_overall: null, trust_score_updated: null })
  })

  it('is shown beside the score wherever the score is shown', async () => {
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
    expect(await get('/operators/me/dashboard')).toMatchObject({
      average_trust_score: Number(profile.trust_score_overall),
      average_trust_score_updated: since,
    })
    await scored(reg)
    expect(await get('/operators/me/dashboard')).toMatchObject({ average_trust_score_updated: since })
    expect((await get(`/platforms/${slug}/agents`)).data.map(scoreOf)).toEqual([profile])
    const changed = await api('PATCH', `/agents/${reg}`, { token, body: { name: 'Other' } })
    expect(scoreOf(changed.body)).toEqual(profile)
  })

  it('is part of the webhook events that contain the score', async () => {
    await using receiver = await startedReceiver()
    const { operator, slug, reg, since } = await newScored()
    await api('PATCH', `/platforms/${slug}`, {
      token: operator.token,
      body: { webhook_url: receiver.url, event_types: ['agent.updated', 'agent.deactivated'] },
    })
    const profile = await profileOf(reg)
    expect(profile.trust_score_updated).toBe(since)
    const body = { name: 'Other', status: 'deactivated' }
    await api('PATCH', `/agents/${reg}`, { token: operator.token, body })
    const [updated] = await receiver.arrival(1, 'agent.updated')
    const [deactivated] = await receiver.arrival(1, 'agent.deactivated')
    for (const sent of [updated, deactivated]) expect(scoreOf(sent?.event.data)).toEqual(profile)
  })
})

async function startedReceiver() {
  const receiver = await startReceiver()
  return Object.assign(receiver, { [Symbol.asyncDispose]: () => receiver.stop() })
}
