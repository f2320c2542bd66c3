import { expect, it } from 'vitest'
import { atOnce, WRITERS } from '../support/at-once.ts'
import { expectError, type Operator, shared } from '../support/harness.ts'
import { holdOpen } from '../support/hold-open.ts'
import { giveAllowances } from '../support/quotas.ts'
import { freshDomain, webControl } from '../support/web.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newPlatform } = h
const web = webControl(h)

const SESSIONS = 4 // each may check ten times per minute, and the operator as often as it is given here

async function newOwner() {
  const owner = await newOperator()
  const platform = await newPlatform(owner, { webhook_url: 'http://127.0.0.1:9/hook' })
  const { id, reg } = await newAgent(owner, { platform_slug: platform.slug })
  return { owner, id: id as string, reg: reg as string }
}

/** The owner in several sessions, by turns. */
async function inSessions(owner: Operator): Promise<(n: number) => Operator> {
  const others = await atOnce(() => newOperator({ email: owner.email }), SESSIONS - 1)
  const all = [owner, ...others]
  await giveAllowances(h, owner, ['looks'])
  return (n) => all[n % SESSIONS] ?? owner
}

const reported = (reg: string) =>
  sql(`select data from webhook_events where type = 'agent.ownership_verified' and data->>'reg' = $1`, [reg])

const audited = ({ id }: { id: string }) =>
  sql(`select 1 from audit_log where operator_id = $1 and action = 'ownership.verified'`, [id])

it('verifies once for twenty concurrent requests, and returns the same response to all', async () => {
  const { owner, reg } = await newOwner()
  const inTurn = await inSessions(owner)
  await web.publish(await web.challenge(reg, owner))
  const responses = await atOnce((n) => web.verify(reg, inTurn(n)))
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
  for (const { body } of responses) expect(body).toEqual(responses[0]?.body)
  expect(await reported(reg)).toHaveLength(1)
  expect(await audited(owner)).toHaveLength(1)
})

it('keeps one of twenty concurrent challenges, which is one that was returned', async () => {
  const { owner, id, reg } = await newOwner()
  const challenges = await atOnce(() => web.challenge(reg, owner))
  const rows = await sql('select domain, token from ownership_challenges where agent_id = $1', [id])
  expect(rows).toHaveLength(1)
  const [{ domain, token }] = rows
  const values = challenges.map(({ record_name, record_value }) => `${record_name} ${record_value}`)
  expect(values).toContain(`_reg-agent.${domain} reg-agent=${reg}:${token}`)
})

it('has one active proof after concurrent challenges and verifications', async () => {
  const { owner, id, reg } = await newOwner()
  const inTurn = await inSessions(owner)
  await web.prove(reg, owner)
  const domains = Array.from({ length: WRITERS }, freshDomain)
  const work = await atOnce(async (n) => {
    const challenge = await web.challenge(reg, owner, { domain: domains[n] ?? '' })
    await web.publish(challenge)
    return web.verify(reg, inTurn(n))
  })
  for (const { status } of work) expect([200, 409]).toContain(status)
  const rows = await sql(
    `select domain, verified_at is not null as proven, ended_at is null as live from ownership_challenges
     where agent_id = $1 order by verified_at`,
    [id],
  )
  const live = rows.filter(({ live, proven }) => live && proven)
  expect(live).toHaveLength(1)
  expect(rows.filter(({ proven }) => !proven).length).toBeLessThanOrEqual(1)
  const proven = rows.filter((row) => row.proven)
  expect(await reported(reg)).toHaveLength(proven.length)
  expect(await audited(owner)).toHaveLength(proven.length)
  const { body } = await api('GET', `/agents/${reg}`)
  expect(body).toMatchObject({ ownership_status: 'verified' })
})

it('keeps the earlier proof when the challenge is replaced during its verification', async () => {
  const { owner, id, reg } = await newOwner()
  const proven = await web.prove(reg, owner)
  await web.publish(await web.challenge(reg, owner))
  const held = await holdOpen(
    h,
    `update ownership_challenges set id = gen_random_uuid(), token = 'another'
     where agent_id = $1 and verified_at is null and ended_at is null`,
    [id],
  )
  const verifying = web.verify(reg, owner)
  await held.isWaitedFor()
  await held.commit()
  const response = await verifying
  expectError(response, 409, 'CONFLICT', /a newer challenge has replaced this one/)
  const live = `select domain from ownership_challenges where agent_id = $1 and verified_at is not null and ended_at is null`
  expect(await sql(live, [id])).toEqual([{ domain: proven.domain }])
  expect(await reported(reg)).toHaveLength(1)
  expect(await audited(owner)).toHaveLength(1)
})
