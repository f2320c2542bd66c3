import { describe, expect, it } from 'vitest'
import { eventually } from '../support/fill.ts'
import { type Body, expectError, shared } from '../support/harness.ts'
import { ISO, UUID } from '../support/shapes.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newKey, newPlatform } = h
const ME = '/operators/me'
const KEYS = '/operators/me/api-keys'
const WRITERS = 20

const create = (token: string, body: object) => api('POST', '/operators/me/api-keys', { token, body })

describe('POST /operators/me/api-keys', () => {
  it('returns the full key once, and only its prefix in the list', async () => {
    const operator = await newOperator()
    const created = await api('POST', KEYS, { token: operator.token, body: { name: 'First' } })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      id: UUID,
      name: 'First',
      key: expect.stringMatching(/^reg_live_[0-9A-Za-z]{48}$/),
      key_prefix: created.body.key.slice(0, 17),
      permissions: ['read'],
      rate_limit_per_minute: 60,
      expires_at: null,
      created_at: ISO,
    })
    const { key, ...rest } = created.body
    const { body } = await api('GET', KEYS, { token: operator.token })
    expect(body).toEqual({
      data: [{ ...rest, status: 'active', last_used_at: null, requests_count: 0, revoked_at: null }],
    })
    expect(JSON.stringify(body)).not.toContain(key)
  })

  it('stores a salted hash and the prefix, but no part of the secret', async () => {
    const operator = await newOperator()
    const [first, second] = [await newKey(operator), await newKey(operator)]
    const rows = await sql('select to_jsonb(k) as row from api_keys k where operator_id = $1', [operator.id])
    const text = JSON.stringify(rows)
    for (const { key } of [first, second]) {
      expect(text).not.toContain(key.slice(17, 49))
      expect(text).toContain(key.slice(0, 17))
    }
    expect(new Set(rows.map(({ row }) => row.salt)).size).toBe(2)
  })

  it('removes duplicate permissions', async () => {
    const { token } = await newOperator()
    const permissions = ['activity:report', 'read', 'activity:report', 'write']
    const { body } = await create(token, { name: 'k', permissions })
    expect(body.permissions.sort()).toEqual(['activity:report', 'read', 'write'])
  })

  it('accepts an expiry time in any time zone', async () => {
    const { token } = await newOperator()
    const { body } = await create(token, { name: 'k', expires_at: '2099-01-01T02:00:00+02:00' })
    expect(body.expires_at).toBe('2099-01-01T00:00:00.000Z')
    const inUtc = await create(token, { name: 'k', expires_at: '2099-01-01T02:00:00' })
    expect(inUtc.body.expires_at).toBe('2099-01-01T02:00:00.000Z')
    expect((await create(token, { name: 'k', expires_at: null })).body.expires_at).toBeNull()
  })

  it.each([
    ['in the past', '2020-01-01T00:00:00Z', /^expires_at: must be in the future/],
    ['without a time', '2099-01-01', /^expires_at: must be an ISO 8601 time/],
    ['on a day that does not exist', '2099-02-30T00:00:00Z', /^expires_at: must be an ISO 8601 time/],
    ['after the year 9999', '9999-12-31T23:59:59-10:00', /^expires_at: must be in the years 1 to 9999/],
  ])('rejects an expiry %s', async (_, expires_at, message) => {
    const { token } = await newOperator()
    expectError(await create(token, { name: 'k', expires_at }), 400, 'VALIDATION_ERROR', message)
  })
})

describe('GET /operators/me/api-keys', () => {
  it('lists all keys, or a page of them if one is requested', async () => {
    const operator = await newOperator({ tier: 'pro' })
    const { id } = await newKey(operator)
    await sql(
      `insert into api_keys select (json_populate_record(k, json_build_object('id', gen_random_uuid(),
         'key_prefix', 'reg_live_' || substr(md5(random()::text), 1, 8)))).*
       from api_keys k, generate_series(1, 51) where k.id = $1`,
      [id],
    )
    const list = async (query = '') =>
      (await api('GET', `${KEYS}${query}`, { token: operator.token })).body as Body
    const all = await list()
    expect(Object.keys(all)).toEqual(['data'])
    expect(new Set(all.data.map((key: Body) => key.id)).size).toBe(52)
    expect(await list('?page=3')).toEqual({
      data: all.data.slice(40),
      pagination: { page: 3, per_page: 20, total: 52, total_pages: 3 },
    })
    expect(await list('?per_page=50')).toEqual({
      data: all.data.slice(0, 50),
      pagination: { page: 1, per_page: 50, total: 52, total_pages: 2 },
    })
  })
})

describe('an API key', () => {
  it('is revoked permanently, and remains in the list', async () => {
    const operator = await newOperator()
    const { token } = operator
    const { reg } = await newAgent(operator)
    const { id, key } = await newKey(operator)
    const body = { reg, event_type: 'x' }
    expect((await api('POST', '/activity/report', { token: key, body })).status).toBe(201)
    const revoked = await api('DELETE', `${KEYS}/${id}`, { token })
    expect(revoked).toMatchObject({ status: 200, body: { id, status: 'revoked', revoked_at: ISO } })
    expectError(await api('POST', '/activity/report', { token: key, body }), 401, 'UNAUTHORIZED')
    expect((await api('DELETE', `${KEYS}/${id}`, { token })).body).toEqual(revoked.body)
    const { revoked_at } = revoked.body
    expect((await api('GET', KEYS, { token })).body.data).toMatchObject([
      { id, status: 'revoked', revoked_at },
    ])
    const again = await api('PATCH', `${KEYS}/${id}`, { token, body: { name: 'Back' } })
    expectError(again, 409, 'CONFLICT')
    expectError(await api('POST', '/activity/report', { token: key, body }), 401, 'UNAUTHORIZED')
  })

  it('is revoked once by twenty parallel requests, which all return the same response', async () => {
    const owner = await newOperator()
    const { id, key } = await newKey(owner, ['read'])
    const path = `/operators/me/api-keys/${id}`
    const responses = await Promise.all(
      Array.from({ length: WRITERS }, () => api('DELETE', path, { token: owner.token })),
    )
    for (const { status, body } of responses)
      expect({ status, body }).toEqual({ status: 200, body: responses[0]?.body })
    expectError(await api('GET', '/operators/me/agents', { token: key }), 401, 'UNAUTHORIZED', /API key/)
    const entries = await sql(
      `select 1 from audit_log where operator_id = $1 and action = 'api_key.revoked'`,
      [owner.id],
    )
    expect(entries).toHaveLength(1)
  })

  it('is valid until it expires, and can be revoked afterward', async () => {
    const owner = await newOperator()
    const soon = new Date(Date.now() + 3_600_000)
    const later = new Date(soon.getTime() + 60_000)
    const { id, key } = await newKey(owner, ['read'], { expires_at: soon.toISOString() })
    const use = (now: Date) => api('GET', '/operators/me/agents', { token: key, now })
    expect((await use(new Date(soon.getTime() - 60_000))).status).toBe(200)
    expectError(await use(later), 401, 'UNAUTHORIZED', /expired/)
    const revoked = await api('DELETE', `/operators/me/api-keys/${id}`, { token: owner.token, now: later })
    expect(revoked).toMatchObject({ status: 200, body: { id, status: 'revoked' } })
  })

  it('shows in the list the number of its requests and the last use', async () => {
    const operator = await newOperator()
    const { key } = await newKey(operator, ['read'])
    const started = Date.now()
    for (let n = 0; n < 3; n++) await api('GET', `${ME}/agents`, { token: key })
    const used = await eventually(
      async () => {
        await h.cron()
        return (await api('GET', KEYS, { token: operator.token })).body.data[0]
      },
      ({ requests_count }) => requests_count === 3,
    )
    expect(used.requests_count).toBe(3)
    expect(Date.parse(used.last_used_at)).toBeGreaterThan(started - 2_000)
  })

  it('has a rate limit of its creation or a change, up to that of the tier', async () => {
    const pro = await newOperator({ tier: 'pro' })
    const [{ slug }, { reg }] = await Promise.all([newPlatform(pro), newAgent(pro)])
    for (const path of [KEYS, `/platforms/${slug}/api-keys`]) {
      const create = (rate_limit_per_minute: unknown) =>
        api('POST', path, { token: pro.token, body: { name: 'k', rate_limit_per_minute } })
      const created = await create(600)
      expect(created).toMatchObject({ status: 201, body: { rate_limit_per_minute: 600 } })
      const listed = await api('GET', path, { token: pro.token })
      expect(listed.body.data).toMatchObject([{ id: created.body.id, rate_limit_per_minute: 600 }])
      const changed = await create(null)
      expect(changed.body).toMatchObject({ rate_limit_per_minute: 60 })
      const change = (rate_limit_per_minute: number) =>
        api('PATCH', `${path}/${changed.body.id}`, { token: pro.token, body: { rate_limit_per_minute } })
      expect(await change(600)).toMatchObject({ status: 200, body: { rate_limit_per_minute: 600 } })
      expectError(await change(601), 400, 'VALIDATION_ERROR', /rate_limit_per_minute/)
      const used = await api('GET', `/verify/${reg}/full`, { token: changed.body.key })
      expect(used.headers.get('x-ratelimit-limit')).toBe('600')
      const rule = /^rate_limit_per_minute: at most 600 in your tier$/
      for (const above of [601, 20_000]) expectError(await create(above), 400, 'VALIDATION_ERROR', rule)
      expectError(await create(0), 400, 'VALIDATION_ERROR', /^rate_limit_per_minute: at least 1$/)
    }
    const free = await newOperator()
    const above = await create(free.token, { name: 'k', rate_limit_per_minute: 61 })
    expectError(above, 400, 'VALIDATION_ERROR', /^rate_limit_per_minute: at most 60 in your tier$/)
  })
})
