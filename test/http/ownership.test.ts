import { describe, expect, it } from 'vitest'
import { DAY_MS, utcDay } from '../../src/lib/time.ts'
import { NOON, plus } from '../support/day.ts'
import { type Body, expectError, shared, startReceiver } from '../support/harness.ts'
import { auditOf } from '../support/platforms.ts'
import { freshDomain, webControl } from '../support/web.ts'

const h = shared()
const { api, sql, newOperator, newReporter, newPlatform } = h
const web = webControl(h)

const profileOf = async (reg: string): Promise<Body> => (await api('GET', `/agents/${reg}`)).body

describe('POST /agents/{reg}/ownership/challenge', () => {
  it('returns the TXT record or the file to publish, for seven days', async () => {
    const { operator: owner, reg } = await newReporter()
    const session = await newOperator({ email: owner.email, now: NOON })
    const lastDay = utcDay(plus(7 * DAY_MS, NOON))
    const expires_at = expect.stringMatching(`^${lastDay}T12:00:\\d\\d\\.\\d{3}Z$`)
    expect(await web.challenge(reg, session, { domain: 'Agents.Example.COM', now: NOON })).toEqual({
      method: 'dns',
      domain: 'agents.example.com',
      record_name: '_reg-agent.agents.example.com',
      record_type: 'TXT',
      record_value: expect.stringMatching(RegExp(`^reg-agent=${reg}:[0-9A-Za-z]{32}$`)),
      expires_at,
    })
    expect(
      await web.challenge(reg, session, { domain: 'bücher.example.com', method: 'http', now: NOON }),
    ).toEqual({
      method: 'http',
      domain: 'xn--bcher-kva.example.com',
      url: 'https://xn--bcher-kva.example.com/.well-known/reg-agent.json',
      content: { reg, token: expect.stringMatching(/^[0-9A-Za-z]{32}$/) },
      expires_at,
    })
  })

  it('rejects what is no domain, or one whose record would have a name that is too long', async () => {
    const { operator: owner, reg } = await newReporter()
    const longest = `${'a.'.repeat(115)}aexample.com` // 242 characters
    for (const [domain, message, method = 'dns'] of [
      ['localhost', /^domain: /],
      ['localhost', /^domain: /, 'http'],
      [`a${longest}`, /^domain: .*at most 242/],
    ] as const) {
      const call = { token: owner.token, body: { domain, method } }
      const reply = await api('POST', `/agents/${reg}/ownership/challenge`, call)
      expectError(reply, 400, 'VALIDATION_ERROR', message)
    }
    await web.challenge(reg, owner, { domain: longest })
    await web.challenge(reg, owner, { domain: `a${longest}`, method: 'http' })
  })
})

describe('POST /agents/{reg}/ownership/verify', () => {
  it.each(['dns', 'http'] as const)(
    'verifies a domain by %s, and notifies the platform once',
    async (method) => {
      await using receiver = await startReceiver()
      const platform = await newPlatform(await newOperator(), { webhook_url: receiver.url })
      const { operator: owner, reg } = await newReporter({ agent: { platform_slug: platform.slug } })
      const challenge = await web.challenge(reg, owner, { method })
      const { domain, record_name, record_value, content } = challenge
      if (method === 'dns')
        await web.putRecord(record_name, ['v=spf1 -all', 'x'.repeat(300), ` ${record_value} `])
      else {
        const largest = JSON.stringify({ ...content, more: 1 }).padEnd(10 * 1024)
        await web.putFile(domain, largest, {
          headers: { 'Content-Type': 'Application/JSON; charset=utf-8' },
        })
      }
      expect(await profileOf(reg)).toMatchObject({
        ownership_status: 'unverified',
        ownership_verified_at: null,
      })
      const { status, body, text } = await web.verify(reg, owner)
      expect(status, text).toBe(200)
      const verified_at = expect.stringMatching(/Z$/)
      expect(body).toEqual({ reg, ownership_status: 'verified', domain, method, verified_at })
      expect(await profileOf(reg)).toMatchObject({
        ownership_status: 'verified',
        ownership_verified_at: body.verified_at,
      })
      expect((await api('GET', `/verify/${reg}`)).body).toMatchObject({ ownership_status: 'verified' })
      expect(await auditOf(h, owner, 'ownership.verified')).toMatchObject([{ target: reg }])

      await web.withdraw(challenge) // without a pending challenge, nothing is checked again
      const second = await web.verify(reg, owner, new Date(Date.now() + DAY_MS))
      expect({ status: second.status, body: second.body }).toEqual({ status: 200, body })
      const [webhook] = await receiver.arrival(1, 'agent.ownership_verified')
      expect(webhook?.event.data).toEqual({ reg, domain, method, verified_at: body.verified_at })
      const reported = `select 1 from webhook_events where type = 'agent.ownership_verified' and data->>'reg' = $1`
      expect(await sql(reported, [reg])).toHaveLength(1)
    },
  )

  it('keeps the verified domain until another one is verified', async () => {
    const { operator: owner, reg } = await newReporter()
    await web.prove(reg, owner)
    const next = await web.challenge(reg, owner, { method: 'http' })
    expectError(await web.verify(reg, owner), 409, 'CONFLICT', /returned status 404/)
    expect(await profileOf(reg)).toMatchObject({ ownership_status: 'verified' })
    await web.publish(next)
    const { body } = await web.verify(reg, owner, new Date(Date.now() + 60_000))
    expect(body).toMatchObject({ domain: next.domain, method: 'http' })
    expect(await profileOf(reg)).toMatchObject({ ownership_verified_at: body.verified_at })
  })

  it('requires a challenge, and accepts only the newest, for seven days', async () => {
    const { operator: owner, reg } = await newReporter()
    expectError(await web.verify(reg, owner), 409, 'CONFLICT', /no pending challenge/)
    const domain = freshDomain()
    await web.publish(await web.challenge(reg, owner, { domain }))
    const newest = await web.challenge(reg, owner, { domain })
    expectError(await web.verify(reg, owner), 409, 'CONFLICT', /none of the TXT records/)
    await web.publish(newest)
    const late = new Date(newest.expires_at)
    expectError(await web.verify(reg, owner, late), 409, 'CONFLICT', /has expired/)
    expect((await web.verify(reg, owner, new Date(late.getTime() - 60_000))).status).toBe(200)
  })

  it('verifies a domain for several agents by several records or one file, for none by the record of another', async () => {
    const [one, two] = await Promise.all([newReporter(), newReporter()])
    for (const method of ['dns', 'http'] as const) {
      const domain = freshDomain()
      const first = await web.challenge(one.reg, one.operator, { domain, method })
      const second = await web.challenge(two.reg, two.operator, { domain, method })
      await web.publish(first)
      expectError(
        await web.verify(two.reg, two.operator),
        409,
        'CONFLICT',
        /none of the TXT records|no entry for/,
      )
      if (method === 'dns') await web.putRecord(first.record_name, [first.record_value, second.record_value])
      else await web.putFile(domain, ['something else', first.content, { reg: one.reg }, second.content])
      for (const { reg, operator } of [one, two])
        expect((await web.verify(reg, operator)).body).toMatchObject({ reg, domain, method })
    }
  })

  it('works for a deactivated agent, without a webhook event if it is on no platform', async () => {
    const { operator: owner, reg } = await newReporter()
    await api('PATCH', `/agents/${reg}`, { token: owner.token, body: { status: 'deactivated' } })
    await web.prove(reg, owner)
    expect(await profileOf(reg)).toMatchObject({ status: 'deactivated', ownership_status: 'verified' })
    expect(await sql(`select 1 from webhook_events where data->>'reg' = $1`, [reg])).toEqual([])
  })
})
