import { describe, expect, it } from 'vitest'
import { QUOTAS } from '../../src/db/tiers.ts'
import { utcDay } from '../../src/lib/time.ts'
import { establish } from '../support/attested.ts'
import { MIDNIGHT, NOON } from '../support/day.ts'
import { type Body, shared } from '../support/harness.ts'
import { expectToday, expectWait } from '../support/quotas.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newKey, newPlatform, newPlatformKey, newReporter, report } = h
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
const statuses = (...responses: Body[]) => responses.map(({ status }) => status)

/** An agent of one operator on the platform of another, with a key of each. */
async function onPlatform() {
  const [operator, host] = await Promise.all([newOperator(), newOperator()])
  const { slug } = await newPlatform(host)
  const { reg } = await newAgent(operator, { platform_slug: slug }, NOON)
  const [own, platform] = await Promise.all([newKey(operator), newPlatformKey(host, slug)])
  const send = (key: string, fields: object = {}) =>
    api('POST', '/activity/report', { token: key, body: { reg, event_type: 'x', ...fields }, now: NOON })
  return { operator, host, slug, reg, own: own.key as string, platform: platform.key as string, send }
}

describe('events of an agent', () => {
  it('are limited to 20,000 per UTC day on the free tier, and rejected ones do not count', async () => {
    const { operator, reg, key } = await newReporter({ now: NOON })
    const send = (now = NOON) =>
      api('POST', '/activity/report', { token: key, body: { reg, event_type: 'x' }, now })
    expect((await send()).status).toBe(201)
    expect(await stats(reg)).toMatchObject({ reported_day: utcDay(NOON), own_events: 1, own_bytes: 2 })
    await setStats(reg, `own_events = ${FREE.events_per_day - 1}`)
    expect((await send()).status).toBe(201)
    const message = `^your tier allows 20,000 events for agent ${reg} per UTC day.*after 00:00 UTC`
    expectToday(await send(), RegExp(message))
    expect(await stats(reg)).toMatchObject({ events: 2, own_events: FREE.events_per_day, platform_events: 0 })
    await h.admin('tier', operator.email, 'pro')
    expect((await send()).status).toBe(201)
    await h.admin('tier', operator.email, 'free')
    expectToday(await send(), /20,000/)
    expect((await send(MIDNIGHT)).status).toBe(201)
    expect(await stats(reg)).toMatchObject({ reported_day: utcDay(MIDNIGHT), own_events: 1 })
    // A request with an earlier clock counts for the later day.
    expect((await send()).status).toBe(201)
    expect(await stats(reg)).toMatchObject({ reported_day: utcDay(MIDNIGHT), own_events: 2 })
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
    await setStats(reg, `own_events = ${FREE.events_per_day - 1}`) // the last event would fit
    expectToday(await send(), /20,000,000 bytes of metadata/)
    await setStats(reg, `own_events = 1, own_bytes = ${FREE.metadata_bytes_per_day - bytes}`)
    expect((await send()).status).toBe(201)
    expect((await send(MIDNIGHT)).status).toBe(201)
    expect(await stats(reg)).toMatchObject({ events: 4, own_events: 1, own_bytes: bytes })
  })

  it('that exceed the quota in a batch are all rejected, unlike those of other agents, and a replay returns the same', async () => {
    const { operator, reg, key } = await newReporter({ now: NOON })
    const other = await newAgent(operator, {}, NOON)
    await report(key, reg, {}, NOON)
    await setStats(reg, `own_events = ${FREE.events_per_day - 2}`)
    const events = [reg, other.reg, reg, reg].map((one) => ({ reg: one, event_type: 'x' }))
    const send = (body: object, headers = {}) =>
      api('POST', '/activity/report/batch', { token: key, body, now: NOON, headers })
    const repeated = { 'Idempotency-Key': 'batch' }
    const response = await send({ events }, repeated)
    expect([response.status, response.body.accepted, response.body.rejected]).toEqual([207, 1, 3])
    expect(statuses(...response.body.data)).toEqual([429, 201, 429, 429])
    expectWait(response)
    expect(response.body.data[0].error).toEqual({
      code: 'RATE_LIMITED',
      status: 429,
      message: expect.stringMatching(/20,000 events for agent/),
    })
    expect((await send({ events: events.slice(0, 3) })).status).toBe(201)
    expect(await stats(reg)).toMatchObject({ events: 3, own_events: FREE.events_per_day })
    await h.admin('tier', operator.email, 'pro')
    expect((await send({ events }, repeated)).body).toEqual(response.body)
  })
})

describe('an operator and the platform of another operator', () => {
  it('have separate quotas for an agent, each that of their own tier', async () => {
    const { operator, host, reg, own, platform, send } = await onPlatform()
    const sendBoth = async () => statuses(await send(own), await send(platform, { metadata: { n: 1 } }))
    expect(await sendBoth()).toEqual([201, 201])
    const counted = { own_events: 1, own_bytes: 2, platform_events: 1, platform_bytes: 7 }
    expect(await stats(reg)).toMatchObject(counted)
    await setStats(reg, `own_events = ${FREE.events_per_day}`)
    expect(await sendBoth()).toEqual([429, 201])
    await setStats(reg, `own_events = 0, platform_bytes = ${FREE.metadata_bytes_per_day}`)
    expect(await sendBoth()).toEqual([201, 429])
    await setStats(reg, `own_events = 20000, platform_events = 20000, platform_bytes = 0`)
    await h.admin('tier', host.email, 'pro')
    expect(await sendBoth()).toEqual([429, 201])
    await Promise.all([h.admin('tier', host.email, 'free'), h.admin('tier', operator.email, 'pro')])
    expect(await sendBoth()).toEqual([201, 429])
  })

  it('leave a full quota to the next platform on the same day', async () => {
    const { operator, host, slug, reg, platform, send } = await onPlatform()
    const next = await onPlatform()
    // Now, because any run of the jobs would end an older notice.
    const move = (platform_slug: string) =>
      api('PATCH', `/agents/${reg}`, { token: operator.token, body: { platform_slug } })
    const remove = (from: string, token: string) =>
      api('DELETE', `/platforms/${from}/agents/${reg}`, { token, now: NOON })
    await establish(h, slug) // keeps it during its notice
    const used = `platform_events = ${FREE.events_per_day}, platform_bytes = ${FREE.metadata_bytes_per_day}`
    const reported = () => setStats(reg, `reported_day = '${utcDay(NOON)}', own_events = 7, ${used}`)

    await reported()
    await move(next.slug)
    expectToday(await send(platform), /20,000 events/)
    await remove(slug, host.token)
    expect((await send(next.platform, { reg })).status).toBe(201)
    expect(await stats(reg)).toMatchObject({ own_events: 7, platform_events: 1, platform_bytes: 2 })

    await remove(next.slug, next.host.token)
    await reported()
    await move((await newPlatform(next.host)).slug)
    expect(await stats(reg)).toMatchObject({ own_events: 7, platform_events: 0, platform_bytes: 0 })
  })

  it('cannot renew the quota by leaving and joining more often than by registrations', async () => {
    const { operator, slug, reg } = await onPlatform()
    const move = (platform_slug: string | null, now = NOON) =>
      api('PATCH', `/agents/${reg}`, { token: operator.token, body: { platform_slug }, now })
    for (let n = 0; n < FREE.registrations_per_day; n++)
      expect(statuses(await move(null), await move(slug))).toEqual([200, 200])
    await setStats(reg, `reported_day = '${utcDay(NOON)}', platform_events = 7`)
    expect((await move(null)).status).toBe(200)
    expectToday(await move(slug), /^your tier allows 10 moves of agents to a platform per UTC day/)
    expect(await stats(reg)).toMatchObject({ platform_events: 7 })
    expect((await move(slug, MIDNIGHT)).status).toBe(200)
  })

  it('share one quota if the platform belongs to the same operator', async () => {
    const operator = await newOperator()
    const { slug } = await newPlatform(operator)
    const { reg } = await newAgent(operator, { platform_slug: slug })
    const { key } = await newPlatformKey(operator, slug)
    await report(key, reg)
    await report((await newKey(operator)).key, reg)
    expect(await stats(reg)).toMatchObject({ own_events: 2, platform_events: 0 })
  })
})
