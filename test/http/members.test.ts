import { describe, expect, it } from 'vitest'
import { deliveriesOf } from '../support/deliveries.ts'
import { type Body, expectError, type Operator, shared } from '../support/harness.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newKey, newPlatform, report } = h
const DAY_MS = 86_400_000
const URL = 'http://127.0.0.1:9/closed'

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS)
const patch = ({ token }: Operator, reg: string, body: object, now = new Date()) =>
  api('PATCH', `/agents/${reg}`, { token, body, now })
const change = ({ token }: Operator, slug: string, body: object) =>
  api('PATCH', `/platforms/${slug}`, { token, body })
const list = ({ token }: Operator, slug: string, query = '') =>
  api('GET', `/platforms/${slug}/agents${query}`, { token })
const confirm = ({ token }: Operator, slug: string, reg: string) =>
  api('POST', `/platforms/${slug}/agents/${reg}/confirm`, { token })
const remove = ({ token }: Operator, slug: string, reg: string, now = new Date()) =>
  api('DELETE', `/platforms/${slug}/agents/${reg}`, { token, now })
/** Lets the notice of an agent be over, and the job run. */
const endNotice = async (reg: string) => {
  await sql(
    'update agents set platform_leaves_at = now() where reg = $1 and platform_leaves_at is not null',
    [reg],
  )
  await Promise.all([h.cron(), h.cron()])
}
const retire = ({ token }: Operator, slug: string) => api('DELETE', `/platforms/${slug}`, { token })
const profile = async (reg: string): Promise<Body> => (await api('GET', `/agents/${reg}`)).body
const told = async (platform: Body): Promise<string[]> =>
  (await deliveriesOf(h, platform)).map(({ type, data }) =>
    `${type} ${data.changed ?? data.platform_state ?? ''}`.trim(),
  )
const audited = async ({ id }: Operator, target: string): Promise<string[]> =>
  (
    await sql(
      'select action from audit_log where operator_id = $1 and target like $2 order by created_at, id',
      [id, `%${target}`],
    )
  ).map(({ action }) => action)

/** A platform of one operator and an agent of another on it. */
async function newMembership(fields: object = {}, agentFields: object = {}) {
  const [host, owner] = await Promise.all([newOperator({ tier: 'pro' }), newOperator({ tier: 'pro' })])
  const platform = await newPlatform(host, { webhook_url: URL, ...fields })
  const agent = await newAgent(owner, { platform_slug: platform.slug, ...agentFields })
  return { host, owner, platform, slug: platform.slug as string, agent, reg: agent.reg as string }
}

async function platformKey({ token }: Operator, slug: string): Promise<string> {
  const body = { name: 'its key', permissions: ['read', 'activity:report'] }
  return (await api('POST', `/platforms/${slug}/api-keys`, { token, body })).body.key
}

describe('an agent that claims a platform', () => {
  it('is shown as a claim until the platform confirms it, everywhere [member-1 member-3]', async () => {
    const { host, owner, slug, agent, reg } = await newMembership()
    const claim = { platform_name: 'Platform', platform_slug: slug, platform_state: 'claimed' }
    const reader = await newKey(owner, ['read'])
    const shown = async () =>
      Promise.all([
        profile(reg),
        api('GET', `/verify/${reg}/full`, { token: reader.key }).then(({ body }) => body),
        api('GET', '/operators/me/agents', { token: owner.token }).then(({ body }) => body.data[0]),
        patch(owner, reg, { name: 'Scout' }).then(({ body }) => body),
      ])
    expect(agent).toMatchObject({ ...claim, platform_leaves_at: null, next_platform_slug: null })
    for (const form of await shown()) expect(form).toMatchObject(claim)
    expect((await confirm(host, slug, reg)).body).toMatchObject({ reg, platform_state: 'confirmed' })
    for (const form of await shown()) expect(form).toMatchObject({ ...claim, platform_state: 'confirmed' })
    expect(await confirm(host, slug, reg)).toMatchObject({ status: 200 })
    expect(await audited(host, reg)).toEqual(['platform.agent_confirmed'])
  })

  it("is confirmed at once on its operator's own platform [member-2]", async () => {
    const operator = await newOperator()
    const { slug } = await newPlatform(operator, { admission: 'approval' })
    expect(await newAgent(operator, { platform_slug: slug })).toMatchObject({ platform_state: 'confirmed' })
  })

  it('has its claim kept with the response of a repeated registration', async () => {
    const [host, owner] = await Promise.all([newOperator(), newOperator()])
    const { slug } = await newPlatform(host)
    const call = {
      token: owner.token,
      body: { name: 'Scout', class: 'A', platform_slug: slug },
      headers: { 'Idempotency-Key': slug },
    }
    const [first, second] = [await api('POST', '/agents', call), await api('POST', '/agents', call)]
    expect(second.body).toEqual(first.body)
    expect(second.body).toMatchObject({ platform_slug: slug, platform_state: 'claimed' })
  })

  it('is nobody else to confirm or to remove [member-4]', async () => {
    const { owner, slug, reg } = await newMembership()
    const stranger = await newOperator()
    await newPlatform(stranger)
    for (const somebody of [owner, stranger]) {
      expectError(await confirm(somebody, slug, reg), 404, 'NOT_FOUND', /you have no platform/)
      expectError(await remove(somebody, slug, reg), 404, 'NOT_FOUND', /you have no platform/)
      expectError(await list(somebody, slug), 404, 'NOT_FOUND', /you have no platform/)
    }
    const other = await newPlatform(stranger)
    expectError(await confirm(stranger, other.slug, reg), 404, 'NOT_FOUND', /is not on platform/)
    expectError(await remove(stranger, other.slug, reg), 404, 'NOT_FOUND', /is not on platform/)
    expect(await profile(reg)).toMatchObject({ platform_slug: slug, platform_state: 'claimed' })
  })
})

describe('GET /platforms/{slug}/agents', () => {
  it('lists its agents, those that joined last first, all or of a state', async () => {
    const { host, owner, slug, reg } = await newMembership()
    const second = await newAgent(owner, { platform_slug: slug, name: 'Second' })
    await newAgent(owner)
    await confirm(host, slug, reg)
    const { body } = await list(host, slug)
    expect(body.pagination).toEqual({ page: 1, per_page: 20, total: 2, total_pages: 1 })
    expect(body.data.map((item: Body) => [item.reg, item.platform_state])).toEqual([
      [second.reg, 'claimed'],
      [reg, 'confirmed'],
    ])
    expect(body.data[0]).toMatchObject({
      operator_id: owner.id,
      operator_name_verified: false,
      name: 'Second',
      platform_leaves_at: null,
    })
    expect((await list(host, slug, '?state=claimed')).body.data.map((item: Body) => item.reg)).toEqual([
      second.reg,
    ])
    expect((await list(host, slug, '?per_page=1&page=2')).body.data[0]).toMatchObject({ reg })
    expectError(
      await list(host, slug, '?state=gone'),
      400,
      'VALIDATION_ERROR',
      /state: must be claimed or confirmed/,
    )
  })
})

describe('admission by approval', () => {
  it('tells the platform that an agent was registered, and nothing else until it is confirmed', async () => {
    const { host, owner, platform, slug, reg } = await newMembership({ admission: 'approval' })
    const { key } = await newKey(owner)
    const everything = async (name: string) => {
      await patch(owner, reg, { name })
      await report(key, reg, { event_type: 'incident' })
      const { body } = await api('GET', `/agents/${reg}/incidents?status=open`)
      const path = `/incidents/${body.data[0].incident_id}/resolve`
      await api('POST', path, { token: owner.token, body: { resolution: 'Done' } })
    }
    await everything('One')
    await h.cron()
    expect(await told(platform)).toEqual(['agent.registered claimed'])
    await confirm(host, slug, reg)
    await everything('Two')
    expect((await told(platform)).sort()).toEqual([
      'agent.registered claimed',
      'agent.updated name',
      'incident.created',
      'incident.resolved',
    ])
  })

  it('keeps its silence when a claimed agent is deactivated, leaves or is removed', async () => {
    const { host, owner, platform, slug, reg } = await newMembership({ admission: 'approval' })
    const gone = await newAgent(owner, { platform_slug: slug })
    await patch(owner, reg, { status: 'deactivated' })
    await remove(host, slug, gone.reg)
    expect(await told(platform)).toEqual(['agent.registered claimed', 'agent.registered claimed'])
  })

  it('lets the platform read the log of an agent once it is confirmed, from its joining on', async () => {
    const [host, owner] = await Promise.all([newOperator(), newOperator()])
    const platform = await newPlatform(host, { admission: 'approval' })
    const { reg } = await newAgent(owner, {}, inDays(-9))
    const { key } = await newKey(owner)
    for (let n = 0; n < 3; n++) await report(key, reg, {}, inDays(-8))
    expect((await patch(owner, reg, { platform_slug: platform.slug })).body.platform_state).toBe('claimed')
    await report(key, reg)
    const reader = await platformKey(host, platform.slug)
    const total = async () =>
      (await api('GET', `/agents/${reg}/activity`, { token: reader })).body.pagination.total
    expect(await total()).toBe(4) // the public view
    await confirm(host, platform.slug, reg)
    expect(await total()).toBe(1)
    await report(key, reg)
    expect(await total()).toBe(2)
  })

  it('may be changed: what was held back stays so', async () => {
    const { host, owner, platform, slug, reg } = await newMembership()
    expect((await change(host, slug, { admission: 'approval' })).body).toMatchObject({
      admission: 'approval',
    })
    await patch(owner, reg, { name: 'Quiet' })
    await change(host, slug, { admission: 'open' })
    await patch(owner, reg, { name: 'Heard' })
    expect(await told(platform)).toEqual(['agent.registered claimed', 'agent.updated name'])
    expect((await api('GET', `/platforms/${slug}`)).body).toMatchObject({
      admission: 'open',
      status: 'active',
    })
    expectError(await change(host, slug, { admission: 'closed' }), 400, 'VALIDATION_ERROR', /admission/)
  })
})

describe('DELETE /platforms/{slug}/agents/{reg}', () => {
  it('removes an agent at once, tells its operator, and bars it for 30 days [member-5 member-6]', async () => {
    const { host, owner, platform, slug, agent, reg } = await newMembership()
    await confirm(host, slug, reg)
    const first = await remove(host, slug, reg)
    expect(first).toMatchObject({ status: 200, body: { reg, platform_slug: slug } })
    const { removed_at, barred_until } = first.body
    expect(Date.parse(barred_until) - Date.parse(removed_at)).toBe(30 * DAY_MS)
    expect((await remove(host, slug, reg)).body).toEqual(first.body)
    expect(await profile(reg)).toMatchObject({
      platform_name: null,
      platform_slug: null,
      platform_state: null,
    })
    expect((await told(platform)).slice(1)).toEqual(['agent.updated platform_slug'])
    const back = await patch(owner, reg, { platform_slug: slug })
    expectError(back, 409, 'CONFLICT', RegExp(`cannot join it again before ${first.body.barred_until}`))
    expect(await audited(host, reg)).toEqual(['platform.agent_confirmed', 'platform.agent_removed'])
    expect(await audited(owner, reg)).toEqual(['agent.removed_from_platform'])
    const { body } = await api('GET', '/operators/me/notifications', { token: owner.token })
    expect(body.data).toMatchObject([{ type: 'platform_membership', reg }])
    await sql(
      "update platform_removals set removed_at = removed_at - interval '30 days' where agent_id = $1",
      [agent.id],
    )
    const returned = await patch(owner, reg, { platform_slug: slug })
    expect(returned.body).toMatchObject({ platform_slug: slug, platform_state: 'claimed' })
    expect((await remove(host, slug, reg)).status).toBe(200)
  })

  it('brings an agent that has asked to move to its next platform at once [member-11]', async () => {
    const { host, owner, slug, reg } = await newMembership()
    const next = await newPlatform(await newOperator(), { webhook_url: URL })
    await patch(owner, reg, { platform_slug: next.slug })
    await remove(host, slug, reg)
    expect(await profile(reg)).toMatchObject({
      platform_slug: next.slug,
      platform_state: 'claimed',
      platform_leaves_at: null,
    })
    expect(await told(next)).toEqual(['agent.registered claimed'])
  })
})

describe('PATCH /agents/{reg} with platform_slug', () => {
  it('joins at once from nowhere, and leaves after seven days, once [member-8 member-9]', async () => {
    const { owner, platform, slug } = await newMembership()
    const next = await newPlatform(await newOperator(), { webhook_url: URL })
    const { reg } = await newAgent(owner)
    const joined = await patch(owner, reg, { platform_slug: slug, name: 'Joined' })
    expect(joined.body).toMatchObject({ platform_slug: slug, platform_state: 'claimed', name: 'Joined' })
    const asked = await patch(owner, reg, { platform_slug: next.slug })
    expect(asked.body).toMatchObject({ platform_slug: slug, next_platform_slug: next.slug })
    const leaves = new Date(asked.body.platform_leaves_at)
    expect((leaves.getTime() - Date.now()) / DAY_MS).toBeCloseTo(7, 2)
    expect(await profile(reg)).toMatchObject({ platform_leaves_at: leaves.toISOString() })
    await h.cron()
    expect(await profile(reg)).toMatchObject({ platform_slug: slug })
    await endNotice(reg)
    await h.cron()
    expect(await profile(reg)).toMatchObject({
      platform_slug: next.slug,
      platform_state: 'claimed',
      platform_leaves_at: null,
    })
    expect((await told(platform)).slice(1)).toEqual([
      'agent.registered claimed',
      'agent.updated platform_slug',
    ])
    expect(await told(next)).toEqual(['agent.registered claimed'])
    expect(await audited(owner, reg)).toEqual(['agent.platform_changed', 'agent.platform_changed'])
  })

  it('does not wait longer for another target, and stays when it is told its own [member-10]', async () => {
    const { owner, platform, slug, reg } = await newMembership()
    const next = await newPlatform(await newOperator())
    const first = await patch(owner, reg, { platform_slug: null }, inDays(-2))
    const second = await patch(owner, reg, { platform_slug: next.slug })
    expect(second.body).toMatchObject({
      platform_leaves_at: first.body.platform_leaves_at,
      next_platform_slug: next.slug,
    })
    expect((await patch(owner, reg, { platform_slug: slug })).body).toMatchObject({
      platform_slug: slug,
      platform_leaves_at: null,
      next_platform_slug: null,
    })
    await endNotice(reg)
    expect(await profile(reg)).toMatchObject({ platform_slug: slug })
    expect(await told(platform)).toEqual(['agent.registered claimed'])
  })

  it('lets the platform report until the agent has left', async () => {
    const { host, owner, slug, reg } = await newMembership()
    const key = await platformKey(host, slug)
    await patch(owner, reg, { platform_slug: null })
    await report(key, reg, { event_type: 'incident' })
    await endNotice(reg)
    const body = { reg, event_type: 'incident' }
    const late = await api('POST', '/activity/report', { token: key, body })
    expectError(late, 403, 'FORBIDDEN')
    expect(await profile(reg)).toMatchObject({ platform_slug: null })
  })

  it('changes nothing when the platform is unknown, or the agent is deactivated', async () => {
    const { owner, slug, reg } = await newMembership()
    const unknown = await patch(owner, reg, { platform_slug: 'no-such-platform', name: 'Renamed' })
    expectError(unknown, 404, 'NOT_FOUND', /platform_slug: there is no platform 'no-such-platform'/)
    expect(await profile(reg)).toMatchObject({ name: 'Scout', platform_leaves_at: null })
    const both = await patch(owner, reg, { platform_slug: slug, status: 'deactivated' })
    expectError(both, 400, 'VALIDATION_ERROR', /platform_slug: /)
    const idle = await newAgent(owner)
    await patch(owner, idle.reg, { status: 'deactivated' })
    expectError(await patch(owner, idle.reg, { platform_slug: slug }), 410, 'AGENT_DEACTIVATED')
    expect((await patch(owner, reg, { platform_slug: null, status: 'deactivated' })).status).toBe(200)
  })

  it('leaves for nowhere when the other platform has closed meanwhile, and says so [member-12]', async () => {
    const { owner, reg } = await newMembership()
    const host = await newOperator()
    const next = await newPlatform(host)
    await patch(owner, reg, { platform_slug: next.slug })
    await retire(host, next.slug)
    await endNotice(reg)
    expect(await profile(reg)).toMatchObject({ platform_slug: null, platform_leaves_at: null })
    const { body } = await api('GET', '/operators/me/notifications', { token: owner.token })
    expect(body.data).toMatchObject([
      { type: 'platform_membership', title: `Scout could not join ${next.slug}` },
    ])
  })
})

describe('DELETE /platforms/{slug}', () => {
  it('retires a platform: no keys, no webhooks, no agents, and its slug stays taken [platform-1 platform-2]', async () => {
    const { host, owner, platform, slug, reg } = await newMembership()
    const key = await platformKey(host, slug)
    await patch(owner, reg, { name: 'Before' })
    const first = await retire(host, slug)
    expect(first).toMatchObject({ status: 200, body: { slug, status: 'retired' } })
    expect(await retire(host, slug)).toMatchObject({ status: 200, body: { slug, status: 'retired' } })
    expect((await audited(host, slug)).filter((action) => action === 'platform.retired')).toHaveLength(1)
    expect(await api('GET', `/agents/${reg}/activity`, { token: key })).toMatchObject({ status: 401 })
    expect((await api('GET', `/platforms/${slug}`)).body).toMatchObject({ status: 'retired' })
    expect(await profile(reg)).toMatchObject({ platform_slug: slug, platform_state: 'retired' })
    const before = (await told(platform)).length
    await patch(owner, reg, { name: 'After' })
    expect(await told(platform)).toHaveLength(before)
    const body = { name: 'Scout', class: 'A', platform_slug: slug }
    const late = await api('POST', '/agents', { token: owner.token, body })
    expectError(late, 409, 'CONFLICT', /platform_slug: platform '.*' is retired/)
    const again = await api('POST', '/platforms', { token: owner.token, body: { slug, name: 'Mine' } })
    expectError(again, 409, 'CONFLICT', /is taken/)
  })

  it('ends what can be done with it [platform-3]', async () => {
    const { host, slug, reg } = await newMembership()
    await retire(host, slug)
    const { token } = host
    for (const [method, below, body] of [
      ['PATCH', '', { name: 'Again' }],
      ['PATCH', '', { webhook_status: 'enabled' }],
      ['POST', '/webhook-secret', undefined],
      ['POST', '/webhook-test', { type: 'trust.updated' }],
      ['POST', '/deliveries/recover', { since: new Date().toISOString() }],
      ['POST', '/api-keys', { name: 'a key' }],
      ['POST', `/agents/${reg}/confirm`, undefined],
      ['DELETE', `/agents/${reg}`, undefined],
    ] as const) {
      const answer = await api(method, `/platforms/${slug}${below}`, { token, ...(body && { body }) })
      expectError(answer, 409, 'CONFLICT', /is retired/)
    }
  })

  it('skips what waits for its next attempt, and lets its agents leave at once [member-14]', async () => {
    const { host, owner, platform, slug, reg } = await newMembership()
    await sql(
      `update webhook_deliveries set attempts = 1, lease_until = null, next_attempt_at = now() + interval '1 hour'
       where platform_id = (select id from platforms where slug = $1)`,
      [slug],
    )
    await retire(host, slug)
    expect((await deliveriesOf(h, platform)).map(({ status }) => status)).toEqual(['skipped'])
    expect((await patch(owner, reg, { platform_slug: null })).body).toMatchObject({ platform_slug: null })
  })
})

describe('a platform whose operator is suspended', () => {
  it('takes no agents, and what it would be told is skipped [platform-4]', async () => {
    const { host, owner, platform, slug, reg } = await newMembership()
    await h.suspend(host)
    const body = { name: 'Scout', class: 'A', platform_slug: slug }
    const text = /takes no agents at present/
    expectError(await api('POST', '/agents', { token: owner.token, body }), 409, 'CONFLICT', text)
    const other = await newAgent(owner)
    expectError(await patch(owner, other.reg, { platform_slug: slug }), 409, 'CONFLICT', text)
    await patch(owner, reg, { name: 'Unheard' })
    const deliveries = await deliveriesOf(h, platform)
    expect(deliveries.at(-1)).toMatchObject({ type: 'agent.updated', status: 'skipped' })
  })
})
