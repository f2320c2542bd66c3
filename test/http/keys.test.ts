import { describe, expect, it } from 'vitest'
import { atOnce } from '../support/at-once.ts'
import { type Body, expectError, shared } from '../support/harness.ts'
import { ISO, UUID } from '../support/shapes.ts'

const { api, sql, newOperator, newAgent, newKey, newPlatform } = shared()
const KEYS = '/operators/me/api-keys'

const create = (token: string, fields: object) =>
  api('POST', KEYS, { token, body: { name: 'a key', ...fields } })
const list = async (token: string, query = ''): Promise<Body> =>
  (await api('GET', KEYS + query, { token })).body

describe('POST /operators/me/api-keys', () => {
  it('returns the full key once; the list and the database have only its prefix', async () => {
    const { id, token } = await newOperator()
    const created = await create(token, {})
    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      id: UUID,
      name: 'a key',
      key: expect.stringMatching(/^reg_live_[0-9A-Za-z]{48}$/),
      key_prefix: created.body.key.slice(0, 17),
      permissions: ['read'],
      rate_limit_per_minute: 60,
      expires_at: null,
      created_at: ISO,
    })
    const { key, ...rest } = created.body
    expect(await list(token)).toEqual({
      data: [{ ...rest, status: 'active', last_used_at: null, requests_count: 0, revoked_at: null }],
    })
    await create(token, {})
    const rows = await sql('select to_jsonb(k) as row from api_keys k where operator_id = $1', [id])
    expect(JSON.stringify(rows)).not.toContain(key.slice(17, 49))
    expect(new Set(rows.map(({ row }) => row.salt)).size).toBe(2)
  })

  it('removes duplicate permissions, and accepts an expiry time in any time zone', async () => {
    const { token } = await newOperator()
    const permissions = ['activity:report', 'read', 'activity:report', 'write']
    const { body } = await create(token, { permissions, expires_at: '2099-01-01T02:00:00+02:00' })
    expect(body.permissions.sort()).toEqual(['activity:report', 'read', 'write'])
    expect(body.expires_at).toBe('2099-01-01T00:00:00.000Z')
    expect((await create(token, { expires_at: null })).body.expires_at).toBeNull()
    const inUtc = await create(token, { expires_at: '2099-01-01T02:00:00' })
    expect(inUtc.body.expires_at).toBe('2099-01-01T02:00:00.000Z')
    for (const [expires_at, rule] of [
      ['2020-01-01T00:00:00Z', /^expires_at: must be in the future/],
      ['2099-01-01', /^expires_at: must be an ISO 8601 time/],
      ['2099-02-30T00:00:00Z', /^expires_at: must be an ISO 8601 time/],
      ['9999-12-31T23:59:59-10:00', /^expires_at: must be in the years 1 to 9999/],
    ] as const)
      expectError(await create(token, { expires_at }), 400, 'VALIDATION_ERROR', rule)
    const none = await create(token, { permissions: [] })
    expectError(none, 400, 'VALIDATION_ERROR', /^permissions: must contain at least one permission/)
  })
})

it('GET /operators/me/api-keys lists all keys, or a page of them if one is requested', async () => {
  const operator = await newOperator({ tier: 'pro' })
  const { id } = await newKey(operator)
  await sql(
    `insert into api_keys select (json_populate_record(k, json_build_object('id', gen_random_uuid(),
       'key_prefix', 'reg_live_' || substr(md5(random()::text), 1, 8), 'created_at', k.created_at - n / 2 * interval '1 minute'))).*
     from api_keys k, generate_series(1, 51) n where k.id = $1`,
    [id],
  )
  const { data, ...others } = await list(operator.token)
  expect([new Set(data.map((key: Body) => key.id)).size, others]).toEqual([52, {}])
  const places = data.map((key: Body) => key.created_at + key.id)
  expect(places).toEqual(places.toSorted().toReversed())
  const pagination = { page: 3, per_page: 20, total: 52, total_pages: 3 }
  expect(await list(operator.token, '?page=3')).toEqual({ data: data.slice(40), pagination })
})

describe('an API key', () => {
  it('is revoked once and permanently, and remains in the list', async () => {
    const operator = await newOperator()
    const { token } = operator
    const { reg } = await newAgent(operator)
    const { id, key } = await newKey(operator)
    const report = () => api('POST', '/activity/report', { token: key, body: { reg, event_type: 'x' } })
    expect((await report()).status).toBe(201)
    const revoke = () => api('DELETE', `${KEYS}/${id}`, { token })
    const [revoked, ...others] = await atOnce(revoke)
    expect(revoked).toMatchObject({ status: 200, body: { id, status: 'revoked', revoked_at: ISO } })
    for (const { status, body } of [...others, await revoke()])
      expect({ status, body }).toEqual({ status: 200, body: revoked?.body })
    expect((await list(token)).data).toMatchObject([revoked?.body])
    const entries = `select 1 from audit_log where operator_id = $1 and action = 'api_key.revoked'`
    expect(await sql(entries, [operator.id])).toHaveLength(1)
    expectError(await report(), 401, 'UNAUTHORIZED', /API key/)
    expectError(await api('PATCH', `${KEYS}/${id}`, { token, body: { name: 'Back' } }), 409, 'CONFLICT')
    expectError(await report(), 401, 'UNAUTHORIZED')
  })

  it('has a rate limit of its creation or a change, up to that of the tier', async () => {
    const pro = await newOperator({ tier: 'pro' })
    const [{ slug }, { reg }] = await Promise.all([newPlatform(pro), newAgent(pro)])
    for (const path of [KEYS, `/platforms/${slug}/api-keys`]) {
      const send = (method: string, to: string, rate_limit_per_minute: number | null) =>
        api(method, to, { token: pro.token, body: { name: 'k', rate_limit_per_minute } })
      const { body } = await send('POST', path, null)
      expect(body).toMatchObject({ rate_limit_per_minute: 60 })
      const nothing = await api('PATCH', `${path}/${body.id}`, { token: pro.token, body: {} })
      const needed = /^body: must contain at least one of name, rate_limit_per_minute$/
      expectError(nothing, 400, 'VALIDATION_ERROR', needed)
      for (const [method, to] of [
        ['POST', path],
        ['PATCH', `${path}/${body.id}`],
      ] as const) {
        expect((await send(method, to, 600)).body).toMatchObject({ rate_limit_per_minute: 600 })
        const rule = /^rate_limit_per_minute: at most 600 in your tier$/
        expectError(await send(method, to, 601), 400, 'VALIDATION_ERROR', rule)
        expectError(await send(method, to, 0), 400, 'VALIDATION_ERROR', /^rate_limit_per_minute: at least 1$/)
      }
      const used = await api('GET', `/verify/${reg}/full`, { token: body.key })
      expect(used.headers.get('x-ratelimit-limit')).toBe('600')
    }
    const { token } = await newOperator()
    const above = await create(token, { rate_limit_per_minute: 61 })
    expectError(above, 400, 'VALIDATION_ERROR', /^rate_limit_per_minute: at most 60 in your tier$/)
  })
})
