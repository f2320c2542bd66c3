import { describe, expect, it } from 'vitest'
import { administer } from '../../scripts/admin.ts'
import { type Body, type Operator, shared } from '../support/harness.ts'
import { freshPerson, kycControl } from '../support/kyc.ts'

const h = shared()
const { api, newAgent, newKey, newOperator, newPlatform, sql } = h
const kyc = kycControl(h)

/** An agent on a platform, and the platform's key. */
async function onPlatform(owner: Operator, keeper: Operator) {
  const { slug } = await newPlatform(keeper)
  const body = { name: 'market', permissions: ['activity:report'] }
  const { key } = (await api('POST', `/platforms/${slug}/api-keys`, { token: keeper.token, body })).body
  const { id, reg } = await newAgent(owner, { platform_slug: slug })
  return { id: id as string, reg: reg as string, key: key as string }
}

/** Reports tasks: one alone, the others in a batch beside another agent's event. */
async function reportTasks(key: string, reg: string, tasks: number, beside: string): Promise<void> {
  const task = (of: string) => ({ reg: of, event_type: 'task_completed' })
  const single = await api('POST', '/activity/report', { token: key, body: task(reg) })
  expect(single.status, single.text).toBe(201)
  const events = [...Array.from({ length: tasks - 1 }, () => task(reg)), task(beside)]
  await api('POST', '/activity/report/batch', { token: key, body: { events } })
}

async function explained(reg: string): Promise<{ platform: number; selfReported: boolean }> {
  const { body } = await api('GET', `/agents/${reg}/trust-score?explain=true`)
  const codes = body.risk_factors.map(({ code }: Body) => code)
  return { platform: body.evidence.platform, selfReported: codes.includes('RECORD_SELF_REPORTED') }
}

const NONE = { platform: 0, selfReported: true }

describe('evidence of another person', () => {
  it('is no report of a platform that a second account has registered, nor of a person who was identified twice', async () => {
    const [owner, second] = await Promise.all([newOperator(), newOperator()])
    const { reg, key } = await onPlatform(owner, second)
    const { reg: beside } = await newAgent(owner)
    await reportTasks(key, reg, 12, beside)
    expect(await explained(reg)).toEqual(NONE)
    const person = freshPerson()
    await kyc.approve(owner, person)
    await reportTasks(key, reg, 12, beside)
    expect(await explained(reg)).toEqual(NONE)
    await kyc.approve(second, person)
    await reportTasks(key, reg, 12, beside)
    expect(await explained(reg)).toEqual(NONE)
  })

  it('is what a platform reports once two persons were identified, single and batch, and stays so', async () => {
    const [owner, keeper] = await Promise.all([newOperator(), newOperator()])
    const { id, reg, key } = await onPlatform(owner, keeper)
    const { key: ownKey } = await newKey(owner)
    const second = await newAgent(owner)
    await sql(
      'update agents set (platform_id, platform_state, platform_since) = (select platform_id, platform_state, platform_since from agents where id = $1) where id = $2',
      [id, second.id],
    )
    await reportTasks(key, reg, 10, second.reg)
    await kyc.approve(owner, freshPerson())
    await kyc.approve(keeper, freshPerson())
    expect(await explained(reg)).toEqual(NONE)
    await reportTasks(key, reg, 10, second.reg)
    expect(await explained(reg)).toEqual({ platform: 0.5, selfReported: false })
    await reportTasks(ownKey, reg, 20, second.reg)
    expect(await explained(reg)).toEqual({ platform: 0.25, selfReported: false })
    await administer(h.database_url, ['release-identity', keeper.email])
    await reportTasks(key, reg, 40, second.reg)
    expect(await explained(reg)).toEqual({ platform: 0.125, selfReported: false })
    const counted = await sql('select platform_events::int from agent_daily where agent_id = any ($1)', [
      [id, second.id],
    ])
    expect(counted.map(({ platform_events }) => platform_events).sort()).toEqual([1, 10])
  })

  it('is no report of a platform of its own operator, whoever that is', async () => {
    const operator = await newOperator()
    await kyc.approve(operator, freshPerson())
    const { reg, key } = await onPlatform(operator, operator)
    await reportTasks(key, reg, 12, reg)
    expect(await explained(reg)).toEqual(NONE)
  })
})
