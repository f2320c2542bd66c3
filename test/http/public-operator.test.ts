import { describe, expect, it } from 'vitest'
import { type Operator, shared, startReceiver } from '../support/harness.ts'
import { placesOf, readAll } from '../support/third-parties.ts'

const h = shared()
const { api, sql, newOperator, newAgent } = h

const recordOf = async ({ id }: Operator) => (await api('GET', `/operators/${id}`)).body

/** Sets a verified domain for agents. */
const setDomain = (regs: string[], domain: string) =>
  sql(`update agents set ownership_status = 'verified', domain = $2 where reg = any ($1)`, [regs, domain])

describe('GET /operators/{id}', () => {
  it('returns the public fields of an operator', async () => {
    const operator = await newOperator()
    const { body: me } = await api('GET', '/operators/me', { token: operator.token })
    const regs = await Promise.all([1, 2, 3].map(async () => (await newAgent(operator)).reg as string))
    const [one = '', two = '', ended = ''] = regs
    await setDomain([one, two], 'agents.example')
    await setDomain([ended], 'ended.example')
    await api('PATCH', `/agents/${ended}`, { token: operator.token, body: { status: 'deactivated' } })
    await newAgent(operator) // without a domain
    const response = await api('GET', `/operators/${operator.id}`)
    expect(response.body).toEqual({
      id: operator.id,
      name: me.name,
      name_verified: false,
      kyc_status: 'unverified',
      status: 'active',
      created_at: me.created_at,
      agent_count: 3,
      domain_count: 1,
      domains: ['agents.example'],
    })
    await h.suspend(operator)
    expect(await recordOf(operator)).toMatchObject({ status: 'suspended', agent_count: 3 })
  })

  it('counts all domains and lists the first hundred', async () => {
    const operator = await newOperator()
    await sql(
      `insert into agents (id, reg, operator_id, name, description, class, ownership_status, domain, specializations, registered_at)
       select gen_random_uuid(), agent_number(1990, 7, n), $1, 'many', '', 'A', 'verified', 'd' || lpad(n::text, 4, '0') || '.example', '{}', now()
       from generate_series(1, 150) n`,
      [operator.id],
    )
    const { domain_count, domains } = await recordOf(operator)
    expect(domain_count).toBe(150)
    expect(domains).toHaveLength(100)
    expect([domains[0], domains[99]]).toEqual(['d0001.example', 'd0100.example'])
  })
})

it('nobody else, nor a webhook, is told the company name, URLs and email address of an operator', async () => {
  const operator = await newOperator()
  await using receiver = await startReceiver()
  const platform = await h.newPlatform(operator, { webhook_url: receiver.url })
  const [mark, site] = [`Acme ${crypto.randomUUID()}`, `https://${crypto.randomUUID()}.example`]
  const { token, id, email } = operator
  const hidden = { company_name: mark, company_url: site, avatar_url: site }
  await api('PATCH', '/operators/me', { token, body: hidden })
  const { reg } = await newAgent(operator, { platform_slug: platform.slug })
  await api('PATCH', `/agents/${reg}`, { token, body: { name: 'Other', status: 'deactivated' } })
  const none = { deliveries: [], key_id: [], kid: [] }
  const named = { reg: [reg], operators: [id], slug: [platform.slug], ...none }
  const { key } = await h.newKey(await newOperator(), ['read'])
  const texts = await readAll(h, named, { tokens: { 'a key': key }, visitors: {} })
  for (const { raw, event } of await receiver.arrival(3)) texts.set(event.id, raw)
  expect(placesOf(texts, reg)).not.toEqual({})
  for (const text of [mark, site, email, 'company_name']) expect(placesOf(texts, text)).toEqual({})
})
