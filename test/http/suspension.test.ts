import { expect, it } from 'vitest'
import { administer } from '../../scripts/admin.ts'
import { tirelessKey } from '../support/fill.ts'
import { type Body, shared } from '../support/harness.ts'

const h = shared()
const { api, newOperator, signInByMail, newAgent, newKey, newPlatform, report, suspend, sql } = h

/** An operator with an agent, an incident and a platform, its key, and a key of the platform. */
async function fullOperator() {
  const operator = await newOperator({ tier: 'business' })
  const { slug } = await newPlatform(operator)
  const agent = await newAgent(operator, { platform_slug: slug })
  const key = await tirelessKey(h, operator, ['read', 'write', 'activity:report'])
  await report(key, agent.reg, { event_type: 'incident' })
  const body = { name: 'market', permissions: ['read', 'activity:report'] }
  const made = await api('POST', `/platforms/${slug}/api-keys`, { token: operator.token, body })
  return { operator, slug, reg: agent.reg as string, key, platformKey: made.body }
}

it('the agents of a suspended operator remain visible, marked as such, and searches list them on request', async () => {
  const { operator, reg, slug } = await fullOperator()
  await suspend(operator)
  const stranger = await newOperator()
  const reader = await newKey(stranger, ['read'])
  const paths = ['', '/trust-score', '/trust-score/history']
  for (const path of paths) {
    const { status, text } = await api('GET', `/agents/${reg}${path}`)
    expect({ path, status }).toEqual({ path, status: 200 })
    expect(text.includes('"operator_status":"suspended"')).toBe(path === '')
  }
  const search = async (query: string) => (await api('GET', `/agents/search?platform=${slug}${query}`)).body
  expect(await search('')).toMatchObject({ data: [], pagination: { total: 0 } })
  expect(await search('&operator_status=active')).toMatchObject({ data: [], pagination: { total: 0 } })
  const { data, pagination } = await search('&operator_status=suspended')
  expect({ data, total: pagination.total }).toMatchObject({ data: [{ reg, status: 'active' }], total: 1 })
  expect((await api('GET', `/verify/${reg}`)).body).toMatchObject({ operator_status: 'suspended' })
  const verified = await api('GET', `/verify/${reg}/full`, { token: reader.key })
  expect(verified.body).toMatchObject({ operator_status: 'suspended', active: true })
})

it('the public sees no metadata or incident texts of a suspended operator, but the platform does', async () => {
  const [operator, host] = await Promise.all([newOperator(), newOperator()])
  const { slug } = await newPlatform(host)
  const { reg } = await newAgent(operator, { platform_slug: slug })
  const { key } = await newKey(operator, ['write', 'activity:report'])
  const metadata = { title: 'Buy this', description: 'now', note: [1] }
  await report(key, reg, { event_type: 'incident', severity: 'error', metadata })
  const incidents = async () => (await api('GET', `/agents/${reg}/incidents`)).body
  const [{ incident_id }] = (await incidents()).data
  const call = { token: key, body: { resolution: 'Buy it there' } }
  await api('POST', `/incidents/${incident_id}/resolve`, call)
  const shown = { activity: await api('GET', `/agents/${reg}/activity`), incidents: await incidents() }
  await suspend(operator)

  const body = { name: 'market', permissions: ['read'] }
  const made = await api('POST', `/platforms/${slug}/api-keys`, { token: host.token, body })
  const stranger = await newKey(host, ['read'])
  for (const token of [undefined, stranger.key, host.token]) {
    const { body } = await api('GET', `/agents/${reg}/activity`, token ? { token } : {})
    expect(body).toEqual({
      ...shown.activity.body,
      data: [{ ...shown.activity.body.data[0], metadata: {} }],
      withheld: ['event_type', 'metadata'],
    })
  }
  const platform = await api('GET', `/agents/${reg}/activity`, { token: made.body.key })
  expect(platform.body).toEqual(shown.activity.body)
  expect(await incidents()).toEqual({
    ...shown.incidents,
    data: [
      { ...shown.incidents.data[0], title: 'Untitled, severity error', description: '', resolution: '' },
    ],
    withheld: ['title', 'description', 'resolution'],
  })
  await administer(h.database_url, ['unsuspend', operator.email])
  expect((await api('GET', `/agents/${reg}/activity`)).body).toEqual(shown.activity.body)
  expect(await incidents()).toEqual(shown.incidents)
})

it("a suspended operator's credentials are rejected, and valid again after the suspension", async () => {
  const { operator, reg, key, platformKey } = await fullOperator()
  const { email, token } = operator
  const calls = async () => {
    const body = { reg, event_type: 'x' }
    const responses = await Promise.all([
      api('GET', '/operators/me', { token }),
      api('GET', '/operators/me/agents', { token: key }),
      api('POST', '/activity/report', { token: key, body }),
      api('POST', '/activity/report', { token: platformKey.key, body }),
    ])
    return responses.map(({ status }) => status)
  }
  expect(await calls()).toEqual([200, 200, 201, 201])
  await suspend(operator)
  expect(await calls()).toEqual([403, 403, 403, 403])
  const events = await sql(
    'select events::integer from agent_stats s join agents a on a.id = agent_id where reg = $1',
    [reg],
  )
  expect(events).toEqual([{ events: 3 }])
  expect(await administer(h.database_url, ['unsuspend', email])).toContain('active')
  expect(await calls()).toEqual([200, 200, 201, 201])
  expect((await api('GET', `/verify/${reg}`)).body).toMatchObject({ operator_status: 'active' })
  expect((await signInByMail(email)).id).toBe(operator.id)
})

it('suspensions and tier changes are in the audit log, but not commands without effect', async () => {
  const { email, token } = await newOperator()
  const { email: other, token: otherToken } = await newOperator()
  const steps = [
    ['tier', email, 'free'],
    ['tier', email, 'pro'],
    ['tier', email, 'pro'],
    ['suspend', email],
    ['suspend', email.toUpperCase()],
    ['unsuspend', email],
    ['unsuspend', email],
  ]
  for (const step of steps) await administer(h.database_url, step)
  await Promise.all(Array.from({ length: 20 }, () => administer(h.database_url, ['tier', other, 'business'])))
  const logOf = async (token: string) => {
    const { body } = await api('GET', '/operators/me/audit-log', { token })
    return body.data.map(({ action, target }: Body) => [action, target])
  }
  expect(await logOf(token)).toEqual([
    ['operator.unsuspended', null],
    ['operator.suspended', null],
    ['operator.tier_changed', 'pro'],
    ['session.started', expect.any(String)],
  ])
  expect(await logOf(otherToken)).toEqual([
    ['operator.tier_changed', 'business'],
    ['session.started', expect.any(String)],
  ])
})
