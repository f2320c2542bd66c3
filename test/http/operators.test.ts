import { describe, expect, it } from 'vitest'
import { type Body, expectError, shared } from '../support/harness.ts'
import { ISO } from '../support/shapes.ts'

const { api, newOperator, newAgent, newKey } = shared()

const ME = '/operators/me'
const me = async (token: string): Promise<Body> => (await api('GET', ME, { token })).body

describe('PATCH /operators/me', () => {
  it('changes only the given fields that can be changed, and warns about the others', async () => {
    const { token } = await newOperator()
    const before = await me(token)
    const prefs = { weekly_digest: false, trust_alert: false }
    const fixed = { tier: 'enterprise', agent_limit: 9, kyc_status: 'verified', role: 'admin', email: 'x' }
    const body = { Name: 'Ada', notification_prefs: prefs, ['x'.repeat(99)]: 1, ...fixed }
    const changed = await api('PATCH', ME, { token, body })
    const { warnings, ...operator } = changed.body
    const notification_prefs = { ...before.notification_prefs, weekly_digest: false }
    expect(operator).toEqual({ ...before, notification_prefs, updated_at: ISO })
    expect(warnings).toMatchObject([
      { code: 'unused', field: 'Name', message: expect.stringContaining('supported: name, company_name,') },
      { code: 'unused', field: 'notification_prefs.trust_alert' },
      ...['x'.repeat(50), 'tier', 'agent_limit'].map((field) => ({ code: 'unused', field })),
    ])
    for (const nothing of [{}, { tier: 'pro' }, { nothing: 1 }])
      expectError(await api('PATCH', ME, { token, body: nothing }), 400, 'NO_UPDATES')
    expect(await me(token)).toEqual(operator)
  })

  it('changes each field, clears those that can be empty, and names in the audit log what has changed', async () => {
    const { token } = await newOperator()
    const before = await me(token)
    const [company_url, avatar_url] = ['https://ada.example/about', 'https://ada.example/a.png']
    const changes = { name: 'Ada', company_name: 'Ada & Co', company_url, avatar_url }
    const opt_outs = ['weekly_digest', 'trust_alert', 'weekly_digest'] // kept in order, each once
    const now = new Date(Date.now() + 60_000)
    const { body } = await api('PATCH', ME, { token, body: { ...changes, mail_opt_outs: opt_outs }, now })
    const mail_opt_outs = ['trust_alert', 'weekly_digest']
    expect(body).toEqual({ ...before, ...changes, mail_opt_outs, updated_at: ISO })
    expect(Date.parse(body.updated_at)).toBeGreaterThanOrEqual(now.getTime())
    const cleared = { company_name: null, company_url: null, avatar_url: null }
    const notification_prefs = { ...before.notification_prefs, trust_alerts: false }
    const next = { name: 'Ada', ...cleared, notification_prefs: { trust_alerts: false } }
    await api('PATCH', ME, { token, body: next })
    const last = await me(token)
    expect(last).toMatchObject({ ...cleared, name: 'Ada', notification_prefs })
    expect((await api('PATCH', ME, { token, body: next })).body).toEqual(last)
    const renamed = await api('PATCH', ME, { token, body: { ...next, name: 'Bea' } })
    expect(renamed.body).toEqual({ ...last, name: 'Bea', updated_at: ISO })
    const { body: log } = await api('GET', `${ME}/audit-log?action=operator.updated`, { token })
    expect(log.data.map(({ target }: Body) => target).sort()).toEqual([
      'company_name, company_url, avatar_url, notification_prefs',
      'name',
      'name, company_name, company_url, avatar_url, mail_opt_outs',
    ])
  })
})

it('lists the agents of an operator, newest first, with a session or a key', async () => {
  const operator = await newOperator()
  await newAgent(await newOperator())
  const agents = [
    await newAgent(operator, { name: 'One' }),
    await newAgent(operator, { name: 'Two', class: 'H', specializations: ['a', 'b'] }),
  ]
  const { key } = await newKey(operator, ['read'])
  const operatorFields = { operator_name: (await me(operator.token)).name, operator_name_verified: false }
  const data = agents.toReversed().map((agent) => ({ ...agent, ...operatorFields }))
  for (const token of [operator.token, key]) {
    const { status, body } = await api('GET', `${ME}/agents`, { token })
    const pagination = { page: 1, per_page: 20, total: 2, total_pages: 1 }
    expect({ status, body }).toEqual({ status: 200, body: { data, pagination } })
  }
  const second = await api('GET', `${ME}/agents?per_page=1&page=2`, { token: key })
  expect(second.body.data).toEqual([data[1]])
})
