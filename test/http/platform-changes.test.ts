import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/lib/time.ts'
import { type Call, expectError, type Operator, shared } from '../support/harness.ts'
import { asRegistered, auditOf } from '../support/platforms.ts'

const h = shared()
const { api, sql, newOperator, newPlatform } = h
const URL = 'https://hooks.example.com/in'

const show = (slug: string, call: Call = {}) => api('GET', `/platforms/${slug}`, call)
const change = ({ token }: Operator, slug: string, body: object) =>
  api('PATCH', `/platforms/${slug}`, { token, body })
const rotate = ({ token }: Operator, slug: string, now = new Date()) =>
  api('POST', `/platforms/${slug}/webhook-secret`, { token, now })

/** Disables a webhook as ten failed deliveries do. */
const disable = (slug: string) =>
  sql(
    `update platforms set webhook_status = 'disabled', consecutive_failures = 10, failing_since = '2026-11-01T00:00:00Z'
     where slug = $1`,
    [slug],
  )

describe('PATCH /platforms/{slug}', () => {
  it('changes only the given fields, and returns the whole platform', async () => {
    const operator = await newOperator()
    const platform = await newPlatform(operator, { webhook_url: URL, event_types: ['trust.updated'] })
    let expected = asRegistered(platform)
    for (const changes of [
      { name: 'Neuer Name' },
      { webhook_url: 'https://other.example.com:8443/hook' },
      { event_types: ['agent.updated', 'incident.created'] },
      { event_types: null },
      { webhook_url: null, name: 'Last', event_types: ['trust.updated'] },
    ]) {
      const response = await change(operator, platform.slug, changes)
      expected = { ...expected, ...changes }
      expect(response).toMatchObject({ status: 200, body: expected })
      expect((await show(platform.slug, { token: operator.token })).body).toEqual(expected)
    }
    const updates = (await auditOf(h, operator)).filter(({ action }) => action === 'platform.updated')
    expect(updates).toEqual(Array(5).fill({ action: 'platform.updated', target: platform.slug }))
  })

  it('writes no audit entry if nothing changes', async () => {
    const operator = await newOperator()
    const { slug } = await newPlatform(operator, {
      name: 'Same',
      webhook_url: URL,
      event_types: ['incident.created', 'agent.updated'],
    })
    const before = await auditOf(h, operator)
    for (const body of [
      { name: 'Same' },
      { webhook_url: URL },
      { event_types: ['agent.updated', 'incident.created', 'agent.updated'] },
      { webhook_status: 'enabled' },
    ]) {
      expect((await change(operator, slug, body)).status).toBe(200)
    }
    expect(await auditOf(h, operator)).toEqual(before)
  })

  it('enables a disabled webhook, and resets its failures', async () => {
    const operator = await newOperator()
    const platform = await newPlatform(operator, { webhook_url: URL })
    await disable(platform.slug)
    const disabled = await show(platform.slug, { token: operator.token })
    expect(disabled.body).toEqual({
      ...asRegistered(platform),
      webhook_status: 'disabled',
      consecutive_failures: 10,
      failing_since: '2026-11-01T00:00:00.000Z',
    })
    expect((await change(operator, platform.slug, { name: 'Renamed' })).body).toEqual({
      ...disabled.body,
      name: 'Renamed',
    })
    const both = { name: 'Back', webhook_status: 'enabled' }
    expect((await change(operator, platform.slug, both)).body).toEqual({
      ...asRegistered(platform),
      name: 'Back',
    })
    expect((await auditOf(h, operator)).slice(-2)).toEqual([
      { action: 'platform.enabled', target: platform.slug },
      { action: 'platform.updated', target: platform.slug },
    ])
  })

  it('resets the failures for another URL, but does not enable the webhook', async () => {
    const operator = await newOperator()
    const { slug } = await newPlatform(operator, { webhook_url: URL })
    await disable(slug)
    expect((await change(operator, slug, { webhook_url: URL })).body).toMatchObject({
      consecutive_failures: 10,
    })
    expect((await change(operator, slug, { webhook_url: `${URL}/2` })).body).toMatchObject({
      webhook_status: 'disabled',
      consecutive_failures: 0,
      failing_since: null,
    })
  })

  it.each([
    [
      'an empty change',
      {},
      /^body: must contain at least one of name, webhook_url, event_types, admission, webhook_status/,
    ],
    ['only unknown fields', { slug: 'another' }, /must contain at least one of/],
    [
      'webhook_status disabled',
      { webhook_status: 'disabled' },
      /^webhook_status: can only be set to 'enabled'/,
    ],
  ])('rejects %s, and changes nothing', async (_, body, message) => {
    const operator = await newOperator()
    const platform = await newPlatform(operator, { webhook_url: URL })
    const response = await change(operator, platform.slug, { ...body })
    expectError(response, 400, 'VALIDATION_ERROR', message)
    expect((await show(platform.slug, { token: operator.token })).body).toEqual(asRegistered(platform))
  })
})

describe('POST /platforms/{slug}/webhook-secret', () => {
  it('returns a new secret, and the time until which the previous one also signs', async () => {
    const operator = await newOperator()
    const { slug, webhook_secret } = await newPlatform(operator)
    const [before] = await sql('select * from platforms where slug = $1', [slug])
    const now = new Date()
    const { status, body } = await rotate(operator, slug, now)
    expect(status).toBe(200)
    expect(body).toEqual({
      slug,
      webhook_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      previous_secret_expires_at: expect.stringMatching(/Z$/),
    })
    const { previous_secret_expires_at } = body
    const until = Date.parse(previous_secret_expires_at)
    expect(Math.abs(until - now.getTime() - DAY_MS)).toBeLessThan(5_000)
    expect(body.webhook_secret).not.toBe(webhook_secret)
    const [after] = await sql('select * from platforms where slug = $1', [slug])
    expect(after.previous_webhook_secret).toBe(before.webhook_secret)
    expect(JSON.stringify(after)).not.toContain(body.webhook_secret.slice(6))
    expect(await auditOf(h, operator)).toContainEqual({ action: 'platform.secret_rotated', target: slug })

    const seenAt = async (time: number) =>
      (await show(slug, { token: operator.token, now: new Date(time) })).body
    expect(await seenAt(until - 60_000)).toMatchObject({ previous_secret_expires_at })
    expect(await seenAt(until)).toMatchObject({ previous_secret_expires_at: null })
  })

  it('ends the oldest secret at a second rotation', async () => {
    const operator = await newOperator()
    const { slug } = await newPlatform(operator)
    const now = new Date()
    const first = await rotate(operator, slug, now)
    const [between] = await sql('select * from platforms where slug = $1', [slug])
    const second = await rotate(operator, slug, new Date(now.getTime() + HOUR_MS))
    const [one, other] = [first, second].map(({ body }) => Date.parse(body.previous_secret_expires_at))
    expect(Math.abs(Number(other) - Number(one) - HOUR_MS)).toBeLessThan(5_000)
    const [after] = await sql('select * from platforms where slug = $1', [slug])
    expect(after.previous_webhook_secret).toBe(between.webhook_secret)
    const page = await api('GET', '/platforms', { token: operator.token })
    expect(page.text).not.toContain('whsec_')
    expect(page.body.data).toMatchObject([{ slug, previous_secret_expires_at: expect.stringMatching(/Z$/) }])
  })
})
