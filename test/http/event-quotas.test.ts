import { describe, expect, it } from 'vitest'
import { QUOTAS } from '../../src/db/tiers.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { establish } from '../support/attested.ts'
import { type Body, expectError, shared } from '../support/harness.ts'
import { expectToday, expectWait, NOON, setTier } from '../support/quotas.ts'

// Yesterday: the cleanup job deletes stored responses after 48 hours of real time.
const RECENT_NOON = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS / 2)

const h = shared()
const { api, sql, newOperator, newAgent, newKey, newPlatform, newReporter, report } = h
const FREE = QUOTAS.free

const setStats = (reg: string, set: string) =>
  sql(`update agent_stats s set ${set} from agents a where a.id = s.agent_id and a.reg = $1`, [reg])
const stats = async (reg: string): Promise<Body> =>
  (
    await sql(
      `select events::integer, reported_day::text, own_events, own_bytes::integer, platform_events, platform_bytes::integer
       from agent_stats s join agents a on a.id = s.agent_id where a.reg = $1`,
      [reg],
    )
  )[0]

/** An agent of one operator on the platform of another, with a key of each. */
async function onPlatform() {
  const [operator, host] = await Promise.all([newOperator(), newOperator()])
  const { slug } = await newPlatform(host)
  const { reg } = await newAgent(operator, { platform_slug: slug }, NOON)
  const post = (path: string, body: object) => api('POST', path, { token: host.token, body })
  const [own, platform] = await Promise.all([
    newKey(operator),
    post(`/platforms/${slug}/api-keys`, { name: 'market', permissions: ['activity:report'] }),
  ])
  const send = (key: string, fields: object = {}) =>
    api('POST', '/activity/report', { token: key, body: { reg, event_type: 'x', ...fields }, now: NOON })
  return { operator, host, reg, own: own.key as string, platform: platform.body.key as string, send }
}

describe('events of an agent', () => {
  it('are limited to 20,000 per UTC day on the free tier, and rejected ones do not count', async () => {
    const { operator, reg, key } = await newReporter({ now: NOON })
    const send = (fields: object = {}, now = NOON) =>
      api('POST', '/activity/report', { token: key, body: { reg, event_type: 'x', ...fields }, now })
    expect((await send()).status).toBe(201)
    expect(await stats(reg)).toMatchObject({ reported_day: '2026-11-20', own_events: 1, own_bytes: 2 })
    await setStats(reg, `own_events = ${FREE.events_per_day - 1}`)
    expect((await send()).status).toBe(201)
    expectToday(
      await send(),
      RegExp(`^your tier allows 20,000 events for agent ${reg} per UTC day.*after 00:00 UTC`),
    )
    expect(await stats(reg)).toMatchObject({ events: 2, own_events: FREE.events_per_day, platform_events: 0 })
    await setTier(h, operator, 'pro')
    expect((await send()).status).toBe(201)
    await setTier(h, operator, 'free')
    expectToday(await send(), /20,000/)
    const tomorrow = new Date('2026-11-21T00:00:00Z')
    expect((await send({}, tomorrow)).status).toBe(201)
    expect(await stats(reg)).toMatchObject({ reported_day: '2026-11-21', own_events: 1 })
    // A request with an earlier clock counts for the later day.
    expect((await send()).status).toBe(201)
    expect(await stats(reg)).toMatchObject({ reported_day: '2026-11-21', own_events: 2 })
  })

  it('may contain 20 MB of metadata per UTC day on the free tier, measured as compact JSON in UTF-8', async () => {
    const { reg, key } = await newReporter({ now: NOON })
    const body = { reg, event_type: 'x', metadata: { name: 'Zoë', list: [1, 2] } }
    const bytes = Buffer.byteLength(JSON.stringify(body.metadata))
    const send = (now = NOON) => api('POST', '/activity/report', { token: key, body, now })
    expect((await send()).status).toBe(201)
    expect(await stats(reg)).toMatchObject({ own_bytes: bytes })
    await setStats(reg, `own_bytes = ${FREE.metadata_bytes_per_day - 2 * bytes + 1}`)
    expect((await send()).status).toBe(201)
    expectToday(await send(), /^your tier allows 20,000,000 bytes of metadata for agent/)
    expect(await stats(reg)).toMatchObject({ events: 2, own_events: 2 })
    expect((await send(new Date(NOON.getTime() + DAY_MS))).status).toBe(201)
    expect(await stats(reg)).toMatchObject({ events: 3, own_events: 1, own_bytes: bytes })
  })

  it('that exceed the quota in a batch are all rejected, unlike those of other agents, and a replay returns the same', async () => {
    const { operator, reg, key } = await newReporter({ now: RECENT_NOON })
    const other = await newAgent(operator, {}, RECENT_NOON)
    await report(key, reg, {}, RECENT_NOON)
    await setStats(reg, `own_events = ${FREE.events_per_day - 2}`)
    const events = [reg, other.reg, reg, reg].map((one) => ({ reg: one, event_type: 'x' }))
    const call = { token: key, body: { events }, now: RECENT_NOON, headers: { 'Idempotency-Key': 'batch' } }
    const response = await api('POST', '/activity/report/batch', call)
    expect([response.status, response.body.accepted, response.body.rejected]).toEqual([207, 1, 3])
    expect(response.body.data.map(({ status }: Body) => status)).toEqual([429, 201, 429, 429])
    expectWait(response)
    expect(response.body.data[0].error).toEqual({
      code: 'RATE_LIMITED',
      status: 429,
      message: expect.stringMatching(/20,000 events for agent/),
    })
    await setTier(h, operator, 'pro')
    const again = await api('POST', '/activity/report/batch', call)
    expect([again.status, again.body]).toEqual([207, response.body])
    await setTier(h, operator, 'free')
    const fitting = await api('POST', '/activity/report/batch', {
      ...call,
      body: { events: events.slice(0, 3) },
      headers: {},
    })
    expect(fitting.status).toBe(201)
    expect(await stats(reg)).toMatchObject({ events: 3, own_events: FREE.events_per_day })
    const bytes = await api('POST', '/activity/report/batch', { ...call, headers: {} })
    expect(bytes.body.data.map(({ status }: Body) => status)).toEqual([429, 201, 429, 429])
  })

  it('with an Idempotency-Key count once, and are replayed when the quota is used up', async () => {
    const { reg, key } = await newReporter({ now: RECENT_NOON })
    const call = {
      token: key,
      body: { reg, event_type: 'x' },
      now: RECENT_NOON,
      headers: { 'Idempotency-Key': 'one' },
    }
    const first = await api('POST', '/activity/report', call)
    await setStats(reg, `own_events = ${FREE.events_per_day}`)
    const again = await api('POST', '/activity/report', call)
    expect([again.status, again.body]).toEqual([201, first.body])
    expect(await stats(reg)).toMatchObject({ own_events: FREE.events_per_day, events: 1 })
  })

  it('of a deactivated agent are rejected with 410, not 429', async () => {
    const { operator, reg, key } = await newReporter({ now: NOON })
    await setStats(reg, `reported_day = '2026-11-20', own_events = ${FREE.events_per_day}`)
    const end = { token: operator.token, body: { status: 'deactivated' }, now: NOON }
    await api('PATCH', `/agents/${reg}`, end)
    const body = { reg, event_type: 'x' }
    expectError(
      await api('POST', '/activity/report', { token: key, body, now: NOON }),
      410,
      'AGENT_DEACTIVATED',
    )
    const second = await newAgent(operator, {}, NOON)
    const events = [body, { ...body, reg: second.reg }]
    const batch = await api('POST', '/activity/report/batch', { token: key, body: { events }, now: NOON })
    expect(batch.body.data.map(({ status }: Body) => status)).toEqual([410, 201])
  })
})

describe('an operator and the platform of another operator', () => {
  it('have separate quotas for an agent', async () => {
    const { reg, own, platform, send } = await onPlatform()
    expect([(await send(own)).status, (await send(platform, { metadata: { n: 1 } })).status]).toEqual([
      201, 201,
    ])
    expect(await stats(reg)).toMatchObject({
      own_events: 1,
      own_bytes: 2,
      platform_events: 1,
      platform_bytes: 7,
    })
    await setStats(reg, `own_events = ${FREE.events_per_day}, own_bytes = ${FREE.metadata_bytes_per_day}`)
    expectToday(await send(own), /20,000 events/)
    expect((await send(platform)).status).toBe(201)
    await setStats(reg, `own_events = 0, own_bytes = 0, platform_bytes = ${FREE.metadata_bytes_per_day}`)
    expectToday(await send(platform), /20,000,000 bytes/)
    expect((await send(own)).status).toBe(201)
  })

  it('each have the quota of their own tier', async () => {
    const { operator, host, reg, own, platform, send } = await onPlatform()
    await setTier(h, host, 'pro')
    await setStats(reg, `reported_day = '2026-11-20', own_events = 20000, platform_events = 20000`)
    expect([(await send(own)).status, (await send(platform)).status]).toEqual([429, 201])
    await Promise.all([setTier(h, host, 'free'), setTier(h, operator, 'pro')])
    expect([(await send(own)).status, (await send(platform)).status]).toEqual([201, 429])
  })

  it('leave a full quota to the next platform on the same day', async () => {
    const { operator, host, reg, platform, send } = await onPlatform()
    const next = await onPlatform()
    const { platform_slug: slug } = (await api('GET', `/agents/${reg}`)).body
    const { platform_slug: next_slug } = (await api('GET', `/agents/${next.reg}`)).body
    const move = (platform_slug: string) =>
      api('PATCH', `/agents/${reg}`, { token: operator.token, body: { platform_slug }, now: NOON })
    const remove = (from: string, token: string) =>
      api('DELETE', `/platforms/${from}/agents/${reg}`, { token, now: NOON })
    await establish(h, slug) // keeps it during its notice
    const used = `platform_events = ${FREE.events_per_day}, platform_bytes = ${FREE.metadata_bytes_per_day}`
    const reported = () => setStats(reg, `reported_day = '2026-11-20', own_events = 7, ${used}`)

    await reported()
    await move(next_slug)
    expectToday(await send(platform), /20,000 events/)
    await remove(slug, host.token)
    expect((await send(next.platform, { reg })).status).toBe(201)
    expect(await stats(reg)).toMatchObject({ own_events: 7, platform_events: 1, platform_bytes: 2 })

    await remove(next_slug, next.host.token)
    await reported()
    const third = await newPlatform(next.host)
    await move(third.slug)
    expect(await stats(reg)).toMatchObject({ own_events: 7, platform_events: 0, platform_bytes: 0 })
  })

  it('cannot renew the quota by leaving and joining more often than by registrations', async () => {
    const { operator, reg } = await onPlatform()
    const { platform_slug } = (await api('GET', `/agents/${reg}`)).body
    const move = (slug: string | null, now = NOON) =>
      api('PATCH', `/agents/${reg}`, { token: operator.token, body: { platform_slug: slug }, now })
    for (let n = 0; n < FREE.registrations_per_day; n++) {
      expect([(await move(null)).status, (await move(platform_slug)).status]).toEqual([200, 200])
    }
    await setStats(reg, `reported_day = '2026-11-20', platform_events = 7`)
    expect((await move(null)).status).toBe(200)
    expectToday(await move(platform_slug), /^your tier allows 10 moves of agents to a platform per UTC day/)
    expect(await stats(reg)).toMatchObject({ platform_events: 7 })
    expect((await move(platform_slug, new Date(NOON.getTime() + DAY_MS))).status).toBe(200)
  })

  it('share one quota if the platform belongs to the same operator', async () => {
    const operator = await newOperator()
    const { slug } = await newPlatform(operator)
    const { reg } = await newAgent(operator, { platform_slug: slug })
    const body = { name: 'market', permissions: ['activity:report'] }
    const { key } = (await api('POST', `/platforms/${slug}/api-keys`, { token: operator.token, body })).body
    await report(key, reg)
    await report((await newKey(operator)).key, reg)
    expect(await stats(reg)).toMatchObject({ own_events: 2, platform_events: 0 })
  })
})
