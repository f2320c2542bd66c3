import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { type Body, expectError, shared, startReceiver } from '../support/harness.ts'
import { freshDomain, webControl } from '../support/web.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newPlatform } = h
const web = webControl(h)

async function newOwner(fields: object = {}) {
  const owner = await newOperator()
  const { reg } = await newAgent(owner, fields)
  return { owner, reg: reg as string }
}

const profileOf = async (reg: string): Promise<Body> => (await api('GET', `/agents/${reg}`)).body

describe('POST /agents/{reg}/ownership/verify', () => {
  it.each(['dns', 'http'] as const)('verifies a domain by %s', async (method) => {
    const { owner, reg } = await newOwner()
    const challenge = await web.challenge(reg, owner, { method })
    await web.publish(challenge)
    expect(await profileOf(reg)).toMatchObject({
      ownership_status: 'unverified',
      ownership_verified_at: null,
    })
    const { status, body, text } = await web.verify(reg, owner)
    expect(status, text).toBe(200)
    expect(body).toEqual({
      reg,
      ownership_status: 'verified',
      domain: challenge.domain,
      method,
      verified_at: expect.stringMatching(/Z$/),
    })
    const shown = { ownership_status: 'verified', ownership_verified_at: body.verified_at }
    expect(await profileOf(reg)).toMatchObject(shown)
    expect((await api('GET', `/verify/${reg}`)).body).toMatchObject({ ownership_status: 'verified' })
    expect(
      await sql(`select target from audit_log where operator_id = $1 and action = 'ownership.verified'`, [
        owner.id,
      ]),
    ).toEqual([{ target: reg }])
  })

  it('notifies the platform of the agent once', async () => {
    const receiver = await startReceiver()
    try {
      const platform = await newPlatform(await newOperator(), { webhook_url: receiver.url })
      const { owner, reg } = await newOwner({ platform_slug: platform.slug })
      const { domain } = await web.prove(reg, owner)
      const { body } = await web.verify(reg, owner)
      const [webhook] = await receiver.arrival(1, 'agent.ownership_verified')
      expect(webhook?.event.data).toEqual({ reg, domain, method: 'dns', verified_at: body.verified_at })
      const reported = `select 1 from webhook_events where type = 'agent.ownership_verified' and data->>'reg' = $1`
      expect(await sql(reported, [reg])).toHaveLength(1)
    } finally {
      await receiver.stop()
    }
  })

  it('checks a domain at most ten times per minute and session', async () => {
    const { owner, reg } = await newOwner()
    await web.challenge(reg, owner)
    // Of 21 parallel requests at least one is rejected, also if a minute ends in between.
    const checks = await Promise.all(Array.from({ length: 21 }, () => web.verify(reg, owner)))
    expect(checks.map(({ status }) => status)).toContain(429)
    expect(checks.map(({ headers }) => headers.get('X-RateLimit-Limit'))).toEqual(Array(21).fill('10'))
  })

  it('returns the previous verification without a new check if no challenge is pending', async () => {
    const { owner, reg } = await newOwner()
    const challenge = await web.challenge(reg, owner)
    await web.publish(challenge)
    const first = await web.verify(reg, owner)
    await web.withdraw(challenge)
    const second = await web.verify(reg, owner, new Date(Date.now() + DAY_MS))
    expect({ status: second.status, body: second.body }).toEqual({ status: 200, body: first.body })
  })

  it('keeps the verified domain until another one is verified', async () => {
    const { owner, reg } = await newOwner()
    const { domain } = await web.prove(reg, owner)
    const next = await web.challenge(reg, owner, { method: 'http' })
    expectError(await web.verify(reg, owner), 409, 'CONFLICT', /returned status 404/)
    expect(await profileOf(reg)).toMatchObject({ ownership_status: 'verified' })
    await web.publish(next)
    const { body } = await web.verify(reg, owner, new Date(Date.now() + 60_000))
    expect(body).toMatchObject({ domain: next.domain, method: 'http' })
    expect(await profileOf(reg)).toMatchObject({ ownership_verified_at: body.verified_at })
    const rows = await sql(
      `select c.domain, ended_at is null as is_current from ownership_challenges c join agents a on a.id = c.agent_id
       where reg = $1 and verified_at is not null order by is_current`,
      [reg],
    )
    expect(rows).toEqual([
      { domain, is_current: false },
      { domain: next.domain, is_current: true },
    ])
  })

  it('requires a challenge, and accepts only the newest', async () => {
    const { owner, reg } = await newOwner()
    expectError(await web.verify(reg, owner), 409, 'CONFLICT', /no pending challenge/)
    const domain = freshDomain()
    await web.publish(await web.challenge(reg, owner, { domain }))
    const newest = await web.challenge(reg, owner, { domain })
    expectError(await web.verify(reg, owner), 409, 'CONFLICT', /none of the TXT records/)
    await web.publish(newest)
    expect((await web.verify(reg, owner)).status).toBe(200)
  })

  it('rejects a challenge after seven days', async () => {
    const { owner, reg } = await newOwner()
    const challenge = await web.challenge(reg, owner)
    await web.publish(challenge)
    const late = new Date(challenge.expires_at)
    const days = (late.getTime() - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(6.9)
    expect(days).toBeLessThanOrEqual(7)
    expectError(await web.verify(reg, owner, late), 409, 'CONFLICT', /has expired/)
    expect((await web.verify(reg, owner, new Date(late.getTime() - 60_000))).status).toBe(200)
  })

  it('does not verify another agent by the same record', async () => {
    const { owner, reg } = await newOwner()
    const challenge = await web.challenge(reg, owner)
    await web.publish(challenge)
    const stranger = await newOwner()
    await web.challenge(stranger.reg, stranger.owner, { domain: challenge.domain })
    expectError(await web.verify(stranger.reg, stranger.owner), 409, 'CONFLICT', /none of the TXT records/)
    expect((await web.verify(reg, owner)).status).toBe(200)
    expect(await profileOf(stranger.reg)).toMatchObject({ ownership_status: 'unverified' })
  })

  it('verifies a domain for several agents, by several records or by one file', async () => {
    const [one, two] = await Promise.all([newOwner(), newOwner()])
    for (const method of ['dns', 'http'] as const) {
      const domain = freshDomain()
      const first = await web.challenge(one.reg, one.owner, { domain, method })
      const second = await web.challenge(two.reg, two.owner, { domain, method })
      if (method === 'dns') await web.putRecord(first.record_name, [first.record_value, second.record_value])
      else await web.putFile(domain, ['something else', first.content, { reg: one.reg }, second.content])
      for (const { reg, owner } of [one, two])
        expect((await web.verify(reg, owner)).body).toMatchObject({ reg, domain, method })
    }
  })

  it('works for a deactivated agent, without a webhook event if it is on no platform', async () => {
    const { owner, reg } = await newOwner()
    await api('PATCH', `/agents/${reg}`, { token: owner.token, body: { status: 'deactivated' } })
    await web.prove(reg, owner)
    expect(await profileOf(reg)).toMatchObject({ status: 'deactivated', ownership_status: 'verified' })
    expect(await sql(`select 1 from webhook_events where data->>'reg' = $1`, [reg])).toEqual([])
  })
})
