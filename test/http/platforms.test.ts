import { describe, expect, it } from 'vitest'
import { type Body, type Call, expectError, freshSlug, type Operator, shared } from '../support/harness.ts'
import { asRegistered, auditOf } from '../support/platforms.ts'

const h = shared()
const { api, sql, newOperator, newKey, newPlatform } = h
const URL = 'https://hooks.example.com/in'

const create = (token: string, body: object) => api('POST', '/platforms', { token, body })
const show = (slug: string, call: Call = {}) => api('GET', `/platforms/${slug}`, call)

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
    const response = await create(operator.token, body)
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
    const [row] = await sql('select to_jsonb(p) as row from platforms p where slug = $1', [slug])
    expect(JSON.stringify(row)).not.toContain(response.body.webhook_secret.slice(6))
    expect(await auditOf(h, operator)).toContainEqual({ action: 'platform.registered', target: slug })
  })

  it('requires only a slug and a name, and removes duplicate event types', async () => {
    const platform = await newPlatform(await newOperator())
    expect(platform).toMatchObject({ webhook_url: null, event_types: null })
    const event_types = ['incident.created', 'incident.created', 'agent.registered']
    const other = await newPlatform(await newOperator(), { webhook_url: null, event_types })
    expect(other.event_types.sort()).toEqual(['agent.registered', 'incident.created'])
    expect(other.webhook_secret).not.toBe(platform.webhook_secret)
  })

  it('rejects a slug that is taken', async () => {
    const platform = await newPlatform(await newOperator())
    const late = await newOperator()
    const response = await create(late.token, { slug: platform.slug, name: 'Mine' })
    expectError(response, 409, 'CONFLICT', RegExp(`slug: '${platform.slug}' is already taken`))
    expect(await auditOf(h, late)).not.toContainEqual(
      expect.objectContaining({ action: 'platform.registered' }),
    )
  })

  it('rejects reserved slugs', async () => {
    const { token } = await newOperator()
    for (const slug of ['api', 'sign-in', 'v1']) {
      const message = /^slug: '.*' is reserved/
      expectError(await create(token, { slug, name: 'p' }), 400, 'VALIDATION_ERROR', message)
      expectError(await show(slug), 404, 'NOT_FOUND')
    }
  })
})

describe('GET /platforms', () => {
  const list = ({ token }: Operator, query = '') => api('GET', `/platforms${query}`, { token })

  it("lists the operator's platforms, newest first, with the state of their webhooks and without secrets", async () => {
    const [operator, other] = await Promise.all([newOperator(), newOperator()])
    const platforms = []
    for (const fields of [{}, { webhook_url: URL }, { event_types: ['trust.updated'] }]) {
      platforms.unshift(await newPlatform(operator, fields))
    }
    await newPlatform(other)
    const { status, body } = await list(operator)
    expect(status).toBe(200)
    expect(body).toEqual({
      data: platforms.map(asRegistered),
      pagination: { page: 1, per_page: 20, total: 3, total_pages: 1 },
    })
  })

  it('lists platforms in pages, and is empty without platforms', async () => {
    const operator = await newOperator({ tier: 'pro' })
    const slugs = []
    for (let n = 0; n < 5; n++) slugs.unshift((await newPlatform(operator)).slug)
    const pages = await Promise.all([1, 2, 3, 4].map((page) => list(operator, `?page=${page}&per_page=2`)))
    expect(pages.map(({ body }) => body.data.map(({ slug }: Body) => slug))).toEqual([
      slugs.slice(0, 2),
      slugs.slice(2, 4),
      slugs.slice(4),
      [],
    ])
    for (const { body } of pages) expect(body.pagination).toMatchObject({ total: 5, total_pages: 3 })
    expect((await list(await newOperator())).body).toMatchObject({ data: [], pagination: { total: 0 } })
  })
})

describe('GET /platforms/{slug}', () => {
  it('shows the public fields to everyone, and all but the secret to its operator', async () => {
    const [operator, other] = await Promise.all([newOperator(), newOperator()])
    const platform = await newPlatform(operator, { webhook_url: URL, event_types: ['incident.created'] })
    const { slug, name, status, admission, created_at } = platform
    const key = await newKey(operator, ['read', 'write'])
    const open = await show(slug)
    expect(open).toMatchObject({ status: 200, body: { slug, name, status, admission, created_at } })
    expect(Object.keys(open.body).sort()).toEqual([
      'admission',
      'created_at',
      'distrusted_at',
      'established_at',
      'name',
      'operator_status',
      'slug',
      'status',
    ])
    expect(open.headers.get('cache-control')).toBe('public, max-age=10')
    expect(open.headers.get('vary')).toMatch(/Authorization/)
    expect(open.headers.get('access-control-allow-origin')).toBe('*')
    for (const token of [other.token, key.key]) {
      const response = await show(slug, { token })
      expect(response.body).toEqual(open.body)
      expect(response.headers.get('cache-control')).toBe('private, no-store')
    }
    const own = await show(slug, { token: operator.token })
    expect(own.body).toEqual(asRegistered(platform))
    expect(own.headers.get('cache-control')).toBe('private, no-store')
  })

  it('returns 304 for the current ETag, until the name changes', async () => {
    const operator = await newOperator()
    const { slug } = await newPlatform(operator)
    const etag = (await show(slug)).headers.get('etag') ?? ''
    expect(etag).toMatch(/^W\/"/)
    const again = await show(slug, { headers: { 'If-None-Match': etag } })
    expect(again).toMatchObject({ status: 304, text: '' })
    await api('PATCH', `/platforms/${slug}`, { token: operator.token, body: { name: 'Another' } })
    const changed = await show(slug, { headers: { 'If-None-Match': etag } })
    expect(changed).toMatchObject({ status: 200, body: { name: 'Another' } })
  })

  it('accepts a needlessly percent-encoded slug', async () => {
    const { slug } = await newPlatform(await newOperator())
    expect((await show(slug.replaceAll('-', '%2d'))).body.slug).toBe(slug)
  })
})
