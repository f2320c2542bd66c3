import { describe, expect, it } from 'vitest'
import { atOnce } from '../support/at-once.ts'
import { expectError, shared } from '../support/harness.ts'
import { memberControl } from '../support/members.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newKey, newPlatform } = h
const { newMembership, patch } = memberControl(h)

const ALIKE = 8 // ids in random order would pass by chance once in 256 runs

const reported = async (reg: string): Promise<string[]> => {
  const rows = await sql(`select type from webhook_events where data->>'reg' = $1 order by id`, [reg])
  return rows.map(({ type }) => type).filter((type) => type !== 'agent.registered')
}

describe('PATCH /agents/{reg}', () => {
  it('changes the texts of an agent, and returns the fields of the creation response', async () => {
    const operator = await newOperator()
    const agent = await newAgent(operator, { name: 'Old', description: 'old', specializations: ['old'] })
    const changes = { name: 'New', description: 'new', specializations: ['a', 'b'] }
    const { status, body } = await patch(operator, agent.reg, changes)
    expect({ status, body }).toEqual({ status: 200, body: { ...agent, ...changes } })
    const one = await patch(operator, agent.reg, { name: 'New', description: null })
    expect(one.body).toEqual({ ...agent, ...changes, description: '' })
    expect((await api('GET', `/agents/${agent.reg}`)).body).toMatchObject({ ...changes, description: '' })
  })

  it('rejects an empty change, and fields that cannot be changed', async () => {
    const { operator, reg } = await h.newReporter()
    for (const body of [{}, { class: 'H' }, { status: 'active' }, { status: 'suspended' }])
      expectError(await patch(operator, reg, body), 400, 'VALIDATION_ERROR')
  })
})

describe('a deactivated agent', () => {
  it('cannot be reactivated, and can still change its texts; its platform is notified once of each', async () => {
    const { owner, reg } = await newMembership()
    const { key } = await newKey(owner)
    const first = await patch(owner, reg, { status: 'deactivated' })
    expect(first).toMatchObject({ status: 200, body: { reg, status: 'deactivated' } })
    expect((await patch(owner, reg, { status: 'deactivated' })).body).toEqual(first.body)
    const body = { reg, event_type: 'x' }
    expectError(await api('POST', '/activity/report', { token: key, body }), 410, 'AGENT_DEACTIVATED')
    expectError(await patch(owner, reg, { status: 'active' }), 400, 'VALIDATION_ERROR', /permanent/)
    const description = 'It was good.'
    for (const change of [{ description, status: 'deactivated' }, { description }])
      expect((await patch(owner, reg, change)).body).toMatchObject({ status: 'deactivated', description })
    expect(await reported(reg)).toEqual(['agent.deactivated', 'agent.updated'])
  })

  it('causes two webhook events if the same request also changes a text: first the update, also by their ids', async () => {
    const owner = await newOperator({ tier: 'pro' })
    const { slug } = await newPlatform(owner, { webhook_url: 'http://127.0.0.1:9/hook' })
    for (let n = 0; n < ALIKE; n++) {
      const { reg } = await newAgent(owner, { platform_slug: slug })
      await patch(owner, reg, { name: 'Last words', status: 'deactivated' })
      expect(await reported(reg)).toEqual(['agent.updated', 'agent.deactivated'])
    }
    const { body } = await api('GET', `/platforms/${slug}/deliveries?per_page=50`, { token: owner.token })
    const listed = body.data.map(({ type }: { type: string }) => type.slice('agent.'.length))
    expect(listed).toEqual(Array(ALIKE).fill(['deactivated', 'updated', 'registered']).flat())
  })

  it('is deactivated once by twenty parallel requests: one event, one audit entry, one place freed', async () => {
    const { owner, reg } = await newMembership()
    await newAgent(owner)
    const responses = await atOnce(() => patch(owner, reg, { status: 'deactivated' }))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await reported(reg)).toEqual(['agent.deactivated'])
    const left = await sql(
      `select active_agents, target from operators o join audit_log l on l.operator_id = o.id
       where o.id = $1 and action = 'agent.deactivated'`,
      [owner.id],
    )
    expect(left).toEqual([{ active_agents: 1, target: reg }])
  })
})
