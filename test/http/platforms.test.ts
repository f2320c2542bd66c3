import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/lib/time.ts'
import { disable } from '../support/deliveries.ts'
import { type Call, expectError, freshSlug, type Operator, shared } from '../support/harness.ts'
import { asRegistered, auditOf } from '../support/platforms.ts'

const h = shared()
const { api, sql, newOperator, newKey, newPlatform } = h
const URL = 'https://hooks.example.com/in'

const create = (token: string, body: object) => api('POST', '/platforms', { token, body })
const show = (slug: string, call: Call = {}) => api('GET', `/platforms/${slug}`, call)
const change = ({ token }: Operator, slug: string, body: object) =>
  api('PATCH', `/platforms/${slug}`, { token, body })
const rowOf = async (slug: string) => (await sql('select * from platforms where slug = $1', [slug]))[0]

describe('POST /platforms', () => {
  it('registers a platform and shows its secret once', async () => {
    const operator = await newOperator()
    const slug = freshSlug()
    const body = {
      slug,
      name: 'Plätze',
      webhook_url: 'https://hooks.example.com/in?x=1',
      event_types: ['trust.updated'],
    }
    const given = { ...body, event_types: ['trust.updated', 'trust.updated'] }
    const response = await create(operator.token, given)
    expect(response.status).toBe(201)
    expect(response.body).toEqual({
      ...body,
      status: 'active',
      admission: 'open',
      established_at: null,
      distrusted_at: null,
      webhook_status: 'enabled',
      webhook_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      created_at: expect.stringMatching(/Z$/),
    })
    expect(JSON.stringify(await rowOf(slug))).not.toContain(response.body.webhook_secret.slice(6))
    expect(await auditOf(h, operator)).toContainEqual({ action: 'platform.registered', target: slug })
    const other = await newPlatform(operator)
    expect(other).toMatchObject({ webhook_url: null, event_types: null })
    expect(other.webhook_secret).not.toBe(response.body.webhook_secret)
  })

  it('rejects reserved slugs', async () => {
    const { token } = await newOperator()
    for (const slug of ['api', 'sign-in', 'v1'])
      expectError(
        await create(token, { slug, name: 'p' }),
        400,
        'VALIDATION_ERROR',
        /^slug: '.*' is reserved/,
      )
  })
})

it("GET /platforms lists the operator's platforms, newest first, without secrets", async () => {
  const [operator, other] = await Promise.all([newOperator(), newOperator()])
  const platforms = []
  for (const fields of [{}, { webhook_url: URL }, { event_types: ['trust.updated'] }])
    platforms.unshift(await newPlatform(operator, fields))
  await newPlatform(other)
  expect((await api('GET', '/platforms', { token: operator.token })).body).toEqual({
    data: platforms.map(asRegistered),
    pagination: { page: 1, per_page: 20, total: 3, total_pages: 1 },
  })
})

it('GET /platforms/{slug} shows the public fields to everyone, and all but the secret to its operator', async () => {
  const [operator, other] = await Promise.all([newOperator(), newOperator()])
  const platform = await newPlatform(operator, { webhook_url: URL, event_types: ['incident.created'] })
  const { slug, name, status, admission, created_at } = platform
  const open = await show(slug.replaceAll('-', '%2d'))
  expect(open.body).toEqual({
    ...{ slug, name, status, admission, created_at },
    established_at: null,
    distrusted_at: null,
    operator_status: 'active',
  })
  expect(open.headers.get('cache-control')).toBe('public, max-age=10')
  for (const token of [other.token, (await newKey(operator, ['read', 'write'])).key])
    expect((await show(slug, { token })).body).toEqual(open.body)
  const own = await show(slug, { token: operator.token })
  expect([own.body, own.headers.get('cache-control')]).toEqual([asRegistered(platform), 'private, no-store'])
})

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
      expected = { ...expected, ...changes }
      expect((await change(operator, platform.slug, changes)).body).toMatchObject(expected)
      expect((await show(platform.slug, { token: operator.token })).body).toEqual(expected)
    }
    const { name, event_types } = expected
    const same = [{ name }, { event_types: [...event_types, ...event_types] }, { webhook_status: 'enabled' }]
    for (const body of same) expect((await change(operator, platform.slug, body)).status).toBe(200)
    const updates = await auditOf(h, operator, 'platform.u%')
    expect(updates).toEqual(Array(5).fill({ action: 'platform.updated', target: platform.slug }))
    for (const [body, message] of [
      [{}, /^body: must contain at least one of name, webhook_url, event_types, admission, webhook_status/],
      [{ slug: 'another' }, /must contain at least one of/],
      [{ webhook_status: 'disabled' }, /^webhook_status: can only be set to 'enabled'/],
    ] as const)
      expectError(await change(operator, platform.slug, body), 400, 'VALIDATION_ERROR', message)
    expect((await show(platform.slug, { token: operator.token })).body).toEqual(expected)
  })

  it('enables a disabled webhook and resets its failures, which another URL only resets', async () => {
    const operator = await newOperator()
    const platform = await newPlatform(operator, { webhook_url: URL })
    const { slug } = platform
    await disable(h, platform)
    const failing = { consecutive_failures: 10, failing_since: '2026-11-20T08:05:00.000Z' }
    const disabled = { ...asRegistered(platform), webhook_status: 'disabled', ...failing }
    expect((await show(slug, { token: operator.token })).body).toEqual(disabled)
    const renamed = { name: 'Renamed', webhook_url: URL }
    expect((await change(operator, slug, renamed)).body).toEqual({ ...disabled, ...renamed })
    const both = { name: 'Back', webhook_status: 'enabled' }
    expect((await change(operator, slug, both)).body).toEqual({ ...asRegistered(platform), name: 'Back' })
    expect((await auditOf(h, operator)).slice(-2)).toEqual([
      { action: 'platform.enabled', target: slug },
      { action: 'platform.updated', target: slug },
    ])
    await disable(h, platform)
    await sql('update platforms set last_response_at = failing_since where slug = $1', [slug])
    expect((await change(operator, slug, { name: 'Again' })).body).toMatchObject({
      last_response_at: failing.failing_since,
    })
    expect((await change(operator, slug, { webhook_url: `${URL}/2` })).body).toMatchObject({
      webhook_status: 'disabled',
      last_response_at: null,
      consecutive_failures: 0,
      failing_since: null,
    })
  })
})

it('POST /platforms/{slug}/webhook-secret returns a new secret, and the previous one signs for a day', async () => {
  const operator = await newOperator()
  const { slug, webhook_secret } = await newPlatform(operator)
  const { token } = operator
  const rotate = (now: Date) => api('POST', `/platforms/${slug}/webhook-secret`, { token, now })
  const expectNear = (time: number, wanted: number) => expect(Math.abs(time - wanted)).toBeLessThan(5_000)
  const before = await rowOf(slug)
  const now = new Date()
  const { status, body } = await rotate(now)
  const previous_secret_expires_at = expect.stringMatching(/Z$/)
  const secret = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect([status, body]).toEqual([200, { slug, webhook_secret: secret, previous_secret_expires_at }])
  expect(body.webhook_secret).not.toBe(webhook_secret)
  const until = Date.parse(body.previous_secret_expires_at)
  expectNear(until, now.getTime() + DAY_MS)
  const between = await rowOf(slug)
  expect(between.previous_webhook_secret).toBe(before.webhook_secret)
  expect(JSON.stringify(between)).not.toContain(body.webhook_secret.slice(6))
  expect(await auditOf(h, operator)).toContainEqual({ action: 'platform.secret_rotated', target: slug })
  const seenAt = async (time: number) =>
    (await show(slug, { token, now: new Date(time) })).body.previous_secret_expires_at
  expect(await seenAt(until - 60_000)).toBe(body.previous_secret_expires_at)
  expect(await seenAt(until)).toBeNull()

  const second = await rotate(new Date(now.getTime() + HOUR_MS))
  expectNear(Date.parse(second.body.previous_secret_expires_at), until + HOUR_MS)
  expect((await rowOf(slug)).previous_webhook_secret).toBe(between.webhook_secret)
  expect((await api('GET', '/platforms', { token })).text).not.toContain('whsec_')
})
