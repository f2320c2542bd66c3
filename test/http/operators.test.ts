import { describe, expect, it } from 'vitest'
import { expectError, shared } from '../support/harness.ts'
import { ISO } from '../support/shapes.ts'

const { api, newOperator, newAgent, newKey } = shared()

const ME = '/operators/me'

describe('PATCH /operators/me', () => {
  it('warns about unknown fields, also of a nested object, and changes the others', async () => {
    const { token } = await newOperator()
    const prefs = { weekly_digest: false, trust_alert: false }
    const body = { Name: 'Ada', notification_prefs: prefs, ['x'.repeat(99)]: 1 }
    const changed = await api('PATCH', ME, { token, body })
    const supported = 'name, company_name, company_url, avatar_url, notification_prefs, mail_opt_outs'
    const unused = (field: string, names: string) => ({
      code: 'unused',
      field,
      message: `is ignored: unknown field; supported: ${names}`,
    })
    expect(changed.body).toMatchObject({
      notification_prefs: { weekly_digest: false, trust_alerts: true },
      warnings: [
        unused('Name', supported),
        unused(
          'notification_prefs.trust_alert',
          'trust_alerts, incident_alerts, weekly_digest, kyc_reminders',
        ),
        unused('x'.repeat(50), supported),
      ],
    })
    expect((await api('GET', ME, { token })).body).not.toHaveProperty('warnings')
  })

  it('changes only the given fields', async () => {
    const { token } = await newOperator()
    const { body: before } = await api('GET', ME, { token })
    const changes = {
      name: 'Ada',
      company_name: 'Ada & Co',
      company_url: 'https://ada.example/about',
      avatar_url: 'https://ada.example/a.png',
    }
    const now = new Date(Date.now() + 60_000)
    const { status, body } = await api('PATCH', ME, { token, body: changes, now })
    expect({ status, body }).toEqual({ status: 200, body: { ...before, ...changes, updated_at: ISO } })
    expect(Date.parse(body.updated_at)).toBeGreaterThanOrEqual(now.getTime())
    expect((await api('GET', ME, { token })).body).toEqual(body)
    const { notification_prefs } = before
    for (const one of [
      { company_name: null },
      { name: 'Eve' },
      { avatar_url: null },
      { notification_prefs: { ...notification_prefs, trust_alerts: false } },
      { notification_prefs: { weekly_digest: true } },
    ]) {
      expect((await api('PATCH', ME, { token, body: one })).body).toMatchObject(one)
    }
    expect((await api('GET', ME, { token })).body).toMatchObject({
      name: 'Eve',
      company_name: null,
      company_url: 'https://ada.example/about',
      avatar_url: null,
      notification_prefs: { ...notification_prefs, trust_alerts: false, weekly_digest: true },
    })
  })

  it('records the changed fields once in the audit log, and nothing if nothing changed', async () => {
    const { token } = await newOperator()
    const { body: before } = await api('GET', ME, { token })
    const changes = { name: 'Ada', company_name: 'Ada & Co', notification_prefs: { weekly_digest: false } }
    await Promise.all(Array.from({ length: 20 }, () => api('PATCH', ME, { token, body: changes })))
    const { body } = await api('PATCH', ME, {
      token,
      body: { ...changes, company_name: 'Ada', avatar_url: null },
    })
    const same = await api('PATCH', ME, { token, body: { ...changes, company_name: 'Ada' } })
    expect(same.body).toEqual(body)
    expect(body).toMatchObject({ name: 'Ada', company_name: 'Ada', company_url: before.company_url })
    const { body: log } = await api('GET', `${ME}/audit-log`, { token })
    const updates = log.data.filter(({ action }: { action: string }) => action === 'operator.updated')
    expect(updates.map(({ target }: { target: string }) => target)).toEqual([
      'company_name',
      'name, company_name, notification_prefs',
    ])
  })

  it('ignores fields that an operator cannot change', async () => {
    const { token } = await newOperator()
    const { body: before } = await api('GET', ME, { token })
    const own = { name: before.name }
    const body = {
      ...own,
      tier: 'enterprise',
      agent_limit: 9,
      kyc_status: 'verified',
      role: 'admin',
      email: 'x',
    }
    const { body: after } = await api('PATCH', ME, { token, body })
    const { warnings: _, ...operator } = after
    expect({ ...operator, updated_at: '' }).toEqual({ ...before, updated_at: '' })
  })

  it('rejects a change without a known field', async () => {
    const { token } = await newOperator()
    for (const body of [{}, { tier: 'pro' }, { nothing: 1 }]) {
      expectError(await api('PATCH', ME, { token, body }), 400, 'NO_UPDATES')
    }
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
  const { name } = (await api('GET', ME, { token: operator.token })).body
  const operatorFields = { operator_name: name, operator_name_verified: false }
  const shown = agents.toReversed().map((agent) => ({ ...agent, ...operatorFields }))
  for (const token of [operator.token, key]) {
    const { status, body } = await api('GET', `${ME}/agents`, { token })
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        data: shown,
        pagination: { page: 1, per_page: 20, total: 2, total_pages: 1 },
      },
    })
  }
  const second = await api('GET', `${ME}/agents?per_page=1&page=2`, { token: key })
  expect(second.body.data).toEqual([shown[1]])
})

it('sets the agent limit of an operator by its tier', async () => {
  const limits: Record<string, number> = {}
  for (const tier of ['free', 'pro', 'business', 'enterprise'] as const) {
    const { token } = await newOperator({ tier })
    const { body } = await api('GET', ME, { token })
    expect(body.tier).toBe(tier)
    limits[tier] = body.agent_limit
  }
  expect(limits).toEqual({ free: 3, pro: 50, business: 500, enterprise: 10_000 })
})
