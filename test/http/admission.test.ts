import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { type Body, expectError, type Operator, shared } from '../support/harness.ts'
import { memberControl } from '../support/members.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newKey, newPlatform, newPlatformKey, report } = h
const { newMembership, patch, confirm, remove, reported } = memberControl(h)

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS)
const change = ({ token }: Operator, slug: string, body: object) =>
  api('PATCH', `/platforms/${slug}`, { token, body })

describe('admission by approval', () => {
  it('sends the platform only agent.registered until the agent is confirmed', async () => {
    const { host, owner, platform, slug, reg } = await newMembership({ admission: 'approval' })
    const [ended, removed] = [
      await newAgent(owner, { platform_slug: slug }),
      await newAgent(owner, { platform_slug: slug }),
    ]
    const { key } = await newKey(owner)
    const triggerEveryEvent = async (name: string) => {
      await patch(owner, reg, { name })
      await report(key, reg, { event_type: 'incident' })
      const { body } = await api('GET', `/agents/${reg}/incidents?status=open`)
      const path = `/incidents/${body.data[0].incident_id}/resolve`
      await api('POST', path, { token: owner.token, body: { resolution: 'Done' } })
    }
    await triggerEveryEvent('One')
    await patch(owner, ended.reg, { status: 'deactivated' })
    await remove(host, slug, removed.reg)
    await h.cron()
    const registered = Array(3).fill('agent.registered claimed')
    expect(await reported(platform)).toEqual(registered)
    await confirm(host, slug, reg)
    await triggerEveryEvent('Two')
    expect((await reported(platform)).sort()).toEqual([
      ...registered,
      'agent.updated name',
      'incident.created',
      'incident.resolved',
    ])
  })

  it('lets the platform report on a confirmed agent, and read its log since it joined', async () => {
    const [host, owner] = await Promise.all([newOperator(), newOperator()])
    const { slug } = await newPlatform(host, { admission: 'approval' })
    const { reg } = await newAgent(owner, {}, inDays(-9))
    const { key } = await newKey(owner)
    for (let n = 0; n < 3; n++) await report(key, reg, {}, inDays(-8))
    expect((await patch(owner, reg, { platform_slug: slug })).body.platform_state).toBe('claimed')
    const { key: hostKey } = await newPlatformKey(host, slug)
    const send = (token: string) => api('POST', '/activity/report', { token, body: { reg, event_type: 'x' } })
    const total = async () =>
      (await api('GET', `/agents/${reg}/activity`, { token: hostKey })).body.pagination.total
    expectError(await send(hostKey), 403, 'FORBIDDEN', /is not confirmed.*confirm the agent/)
    const events = [{ reg, event_type: 'x' }, {}]
    const batch = await api('POST', '/activity/report/batch', { token: hostKey, body: { events } })
    expect(batch.body.data.map(({ status }: Body) => status)).toEqual([403, 400])
    expect((await send(key)).status).toBe(201)
    expect(await total()).toBe(4) // the public view
    await confirm(host, slug, reg)
    expect(await total()).toBe(1)
    expect((await send(hostKey)).status).toBe(201)
    expect(await total()).toBe(2)
    await sql(`update platforms set status = 'retired' where slug = $1`, [slug])
    expectError(await send(hostKey), 403, 'FORBIDDEN', /your platform is retired/)
  })

  it('can be changed, and events withheld before are not sent later', async () => {
    const { host, owner, platform, slug, reg } = await newMembership()
    expect((await change(host, slug, { admission: 'approval' })).body).toMatchObject({
      admission: 'approval',
    })
    await patch(owner, reg, { name: 'Quiet' })
    await change(host, slug, { admission: 'open' })
    await patch(owner, reg, { name: 'Heard' })
    expect(await reported(platform)).toEqual(['agent.registered claimed', 'agent.updated name'])
    expect((await api('GET', `/platforms/${slug}`)).body).toMatchObject({
      admission: 'open',
      status: 'active',
    })
  })
})
